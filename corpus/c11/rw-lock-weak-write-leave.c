/* The reader-writer lock, WRITE_LEAVE relaxed: the lock is free before the writes are done. rc11: data race, half a
 * write is seen. armv8: the same, stores are reordered. */
#define WRITE_LEAVE memory_order_relaxed
#include "rw-lock.c"
