/* The event count, WAIT_FENCE acq_rel: the waiter looks before its announcement is seen, and sleeps for ever. rc11:
 * failed assertion. armv8: right, such a fence is still a full one there; and x86: right, the addition is a full
 * fence there. */
#define WAIT_FENCE memory_order_acq_rel
#include "event-count.c"
