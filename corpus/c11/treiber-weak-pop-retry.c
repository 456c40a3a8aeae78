/* Treiber's stack, POP_RETRY relaxed: as with POP_LOAD, but only for a node that a swap which failed brought (UUO,
 * UOO). rc11: data race, undefined value. armv8 and power order by the address dependency: right there. */
#define POP_RETRY memory_order_relaxed
#include "treiber.c"
