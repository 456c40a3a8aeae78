/* The barrier, ARRIVE without its acquire: the last thread reads before all have arrived. rc11: data race, failed
 * assertion. armv8: the same, a branch does not keep loads in order. */
#define ARRIVE memory_order_release
#include "sense-barrier.c"
