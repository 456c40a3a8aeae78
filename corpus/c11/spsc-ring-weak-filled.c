/* Lamport's ring, FILLED relaxed: the cell is read before the index. rc11: data race, old value. armv8: the same, a
 * branch does not keep loads in order. */
#define FILLED memory_order_relaxed
#include "spsc-ring.c"
