/* The sequence lock, END relaxed: data are written when the number is even again. rc11: the reader sees half a
 * write. armv8: the same, stores are reordered. */
#define END memory_order_relaxed
#include "seqlock.c"
