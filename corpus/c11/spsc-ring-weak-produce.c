/* Lamport's ring, PRODUCE relaxed: the index is seen before the value. rc11: data race, old value. armv8: the same,
 * stores are reordered. */
#define PRODUCE memory_order_relaxed
#include "spsc-ring.c"
