/* The deque of Chase and Lev, BOTTOM relaxed: a thief reads the cell before it sees that it is filled. rc11:
 * undefined task (PS). armv8: the same, a branch does not keep loads in order. */
#define BOTTOM memory_order_relaxed
#include "chase-lev.c"
