/* The barrier, ARRIVE without its release: the last thread goes on before the others' writes are there. rc11: data
 * race, failed assertion. armv8: the same, stores are reordered. */
#define ARRIVE memory_order_acquire
#include "sense-barrier.c"
