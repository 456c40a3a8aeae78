/* Treiber's stack, PUSH relaxed: pop finds the node before what it holds. rc11: data race, undefined value. armv8:
 * the same, stores are reordered. */
#define PUSH memory_order_relaxed
#include "treiber.c"
