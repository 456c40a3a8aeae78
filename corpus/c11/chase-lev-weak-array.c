/* The deque of Chase and Lev, ARRAY relaxed: a thief reads an array that it did not acquire (Grow). rc11: data race
 * on the size, undefined value. armv8 and power order by the address dependency: right there. */
#define ARRAY memory_order_relaxed
#include "chase-lev.c"
