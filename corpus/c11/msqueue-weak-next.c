/* Michael and Scott's queue, NEXT relaxed: dequeue reads the value of a node that it did not acquire. rc11: data
 * race, undefined value. armv8 and power order by the address dependency: right there. */
#define NEXT memory_order_relaxed
#include "msqueue.c"
