/* The test-and-test-and-set lock, ENTER relaxed: what is done under the lock is done too early. rc11: data race,
 * lost addition. armv8: the same, a branch does not keep loads in order. */
#define ENTER memory_order_relaxed
#include "ttas-lock.c"
