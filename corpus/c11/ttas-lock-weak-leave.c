/* The test-and-test-and-set lock, LEAVE relaxed: what was done under the lock is seen too late. rc11: data race,
 * lost addition. armv8: the same, stores are reordered. */
#define LEAVE memory_order_relaxed
#include "ttas-lock.c"
