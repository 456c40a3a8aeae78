/* The deque of Chase and Lev as published at PPoPP 2013, GROW relaxed: a thief finds the new array before what was
 * copied into it (Grow). rc11: data race on the size, undefined value. armv8: the same, stores are reordered. */
#define GROW memory_order_relaxed
#include "chase-lev.c"
