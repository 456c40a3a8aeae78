/* The deque of Chase and Lev, TAKE_FENCE acq_rel: the owner looks at top before its claim is seen, and a task comes
 * out twice (TTSS). rc11 and x86: wrong observation. armv8: right, such a fence is still a full one there; wrong on
 * power. */
#define TAKE_FENCE memory_order_acq_rel
#include "chase-lev.c"
