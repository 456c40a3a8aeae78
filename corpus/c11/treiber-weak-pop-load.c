/* Treiber's stack, POP_LOAD relaxed: nothing orders the node's contents before pop reads them. rc11: data race,
 * undefined value. armv8 and power order by the address dependency: right there. */
#define POP_LOAD memory_order_relaxed
#include "treiber.c"
