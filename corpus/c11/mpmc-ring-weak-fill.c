/* Vyukov's ring, FILL relaxed: the cell looks filled before its value is there. rc11: data race, old value. armv8:
 * the same, stores are reordered. */
#define FILL memory_order_relaxed
#include "mpmc-ring.c"
