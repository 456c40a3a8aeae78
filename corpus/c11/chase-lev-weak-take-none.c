/* The deque of Chase and Lev without the fence of take: the owner looks at top before its claim is seen, and a task
 * comes out twice (TTSS). rc11, armv8 and x86: wrong observation. */
#define TAKE_FENCE memory_order_relaxed
#include "chase-lev.c"
