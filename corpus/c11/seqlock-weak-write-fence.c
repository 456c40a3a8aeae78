/* The sequence lock, WRITE_FENCE relaxed: data are written before the number is odd. rc11: the reader sees half a
 * write. armv8: the same, stores are reordered. */
#define WRITE_FENCE memory_order_relaxed
#include "seqlock.c"
