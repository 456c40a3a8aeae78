/* The deque of Chase and Lev, STEAL_FENCE acq_rel: a thief sees a bottom that is older than the owner's claim, and
 * a task comes out twice (TTSS). rc11: wrong observation. armv8: right, such a fence is still a full one there; and
 * x86: right, the swap of top is a full fence there; wrong on power. */
#define STEAL_FENCE memory_order_acq_rel
#include "chase-lev.c"
