/* The deque of Chase and Lev without the fence of push: a thief finds bottom before the task. rc11: undefined task
 * (PS). armv8: the same, stores are reordered. */
#define PUSH_FENCE memory_order_relaxed
#include "chase-lev.c"
