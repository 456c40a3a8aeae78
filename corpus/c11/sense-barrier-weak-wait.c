/* The barrier, WAIT relaxed: a thread that waited has read before. rc11: data race, failed assertion. armv8: the
 * same, a branch does not keep loads in order. */
#define WAIT memory_order_relaxed
#include "sense-barrier.c"
