/* The work-stealing ring, TAKE relaxed: a thief sees the owner's head but not its tail, takes the ring for filled,
 * and steals what is not there (PTS). rc11: wrong observation. armv8: the same, stores are reordered. */
#define TAKE memory_order_relaxed
#include "steal-ring.c"
