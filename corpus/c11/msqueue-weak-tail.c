/* Michael and Scott's queue, TAIL relaxed: enqueue swaps a next that it may see uninitialised (EED). rc11: data
 * race with the initialisation, undefined value. armv8 and power order by the address dependency: right there. */
#define TAIL memory_order_relaxed
#include "msqueue.c"
