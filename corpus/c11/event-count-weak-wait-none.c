/* The event count without WAIT_FENCE: the waiter looks before its announcement is seen, and sleeps for ever. rc11
 * and armv8: failed assertion. x86: right, the addition is a full fence there. */
#define WAIT_FENCE memory_order_relaxed
#include "event-count.c"
