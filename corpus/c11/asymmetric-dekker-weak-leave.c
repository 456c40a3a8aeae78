/* The asymmetric Dekker, LEAVE relaxed: what the owner did is seen too late. rc11: data race, lost addition. armv8:
 * the same, stores are reordered. */
#define LEAVE memory_order_relaxed
#include "asymmetric-dekker.c"
