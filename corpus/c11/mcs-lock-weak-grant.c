/* The MCS lock, GRANT relaxed: the lock is handed over before what was done under it. rc11: data race, lost
 * addition. armv8: the same, stores are reordered. */
#define GRANT memory_order_relaxed
#include "mcs-lock.c"
