/* Michael and Scott's queue, LINK relaxed: dequeue finds the node before its value. rc11: data race, undefined
 * value. armv8: the same, stores are reordered. */
#define LINK memory_order_relaxed
#include "msqueue.c"
