/* Michael and Scott's queue, SWING relaxed: the next enqueue finds the node at the tail before its next is
 * initialised (EED). rc11: data race with the initialisation, undefined value. armv8: the same, the store of the
 * tail overtakes it. */
#define SWING memory_order_relaxed
#include "msqueue.c"
