/* Michael and Scott's queue, MOVE relaxed: the next dequeue finds the node at the head before its next is
 * initialised (EDD). rc11: data race with the initialisation, undefined value. armv8: right, who moved the head had
 * acquired the node, and all threads see a store at the same time. */
#define MOVE memory_order_relaxed
#include "msqueue.c"
