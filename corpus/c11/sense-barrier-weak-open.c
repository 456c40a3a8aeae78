/* The barrier, OPEN relaxed: the others go on before the last one's writes are there. rc11: data race, failed
 * assertion. armv8: the same, stores are reordered. */
#define OPEN memory_order_relaxed
#include "sense-barrier.c"
