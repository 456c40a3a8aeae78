/* The reader-writer lock, READ_ENTER relaxed: the reader reads before it has the lock. rc11: data race, half a
 * write is seen. armv8: the same, a branch does not keep loads in order. */
#define READ_ENTER memory_order_relaxed
#include "rw-lock.c"
