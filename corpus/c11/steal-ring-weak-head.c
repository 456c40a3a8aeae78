/* The work-stealing ring, HEAD relaxed: a thief sees a tail behind the head, takes the ring for filled, and steals
 * what is not there (PTS, PSS). rc11: wrong observation. armv8: the same, loads are reordered. */
#define HEAD memory_order_relaxed
#include "steal-ring.c"
