/* The MCS lock, WAIT relaxed: a thread that was handed the lock goes on too early. rc11: data race, lost addition.
 * armv8: the same, a branch does not keep loads in order. */
#define WAIT memory_order_relaxed
#include "mcs-lock.c"
