/* The reader-writer lock with two writers, WRITE_ENTER relaxed: the second adds to an old value. rc11: data race,
 * lost addition. armv8: the same, a branch does not keep loads in order. */
#define WRITERS 2
#define WRITE_ENTER memory_order_relaxed
#include "rw-lock.c"
