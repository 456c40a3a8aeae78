/* Reference counting without LAST_FENCE: the last owner's reads come before its decrement. rc11: data races with
 * the reads and with free, failed assertion. armv8: failed assertion, a branch does not keep loads in order. */
#define LAST_FENCE memory_order_relaxed
#include "refcount.c"
