/* The reader-writer lock, READ_LEAVE relaxed: nothing orders the reads before the next writer. rc11: data race; no
 * execution has a wrong value. armv8: a load is overtaken by a later store, so the reader sees half a write. */
#define READ_LEAVE memory_order_relaxed
#include "rw-lock.c"
