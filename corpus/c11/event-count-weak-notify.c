/* The event count, NOTIFY_FENCE acq_rel: the notifier looks for waiters before what it provided is seen. rc11 and
 * x86: failed assertion. armv8: right, such a fence is still a full one there. */
#define NOTIFY_FENCE memory_order_acq_rel
#include "event-count.c"
