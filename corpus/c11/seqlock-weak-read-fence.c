/* The sequence lock, READ_FENCE relaxed: data are read behind the second look at the number. rc11: the reader sees
 * half a write. armv8: the same, loads are reordered. */
#define READ_FENCE memory_order_relaxed
#include "seqlock.c"
