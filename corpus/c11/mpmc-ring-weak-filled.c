/* Vyukov's ring, FILLED relaxed: the value is read before the cell is seen to be filled. rc11: data race, old
 * value. armv8: the same, a branch does not keep loads in order. */
#define FILLED memory_order_relaxed
#include "mpmc-ring.c"
