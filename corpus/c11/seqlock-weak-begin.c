/* The sequence lock, BEGIN relaxed: data are read before the number. rc11: the reader sees half a write. armv8: the
 * same, loads are reordered. */
#define BEGIN memory_order_relaxed
#include "seqlock.c"
