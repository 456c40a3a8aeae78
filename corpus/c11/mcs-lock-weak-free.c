/* The MCS lock, FREE relaxed: the lock is free before what was done under it is seen. rc11: data race, lost
 * addition. armv8: the same, stores are reordered. */
#define FREE memory_order_relaxed
#include "mcs-lock.c"
