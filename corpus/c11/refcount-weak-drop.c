/* Reference counting, DROP relaxed: the last owner looks and frees before the others' writes are there. rc11: data
 * races with the reads and with free, failed assertion. armv8: failed assertion, or a write to freed memory. */
#define DROP memory_order_relaxed
#include "refcount.c"
