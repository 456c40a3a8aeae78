/* Michael and Scott's queue, HEAD relaxed: dequeue reads a next that it may see uninitialised (EDD). rc11: data
 * race with the initialisation, undefined value. armv8 and power order by the address dependency: right there. */
#define HEAD memory_order_relaxed
#include "msqueue.c"
