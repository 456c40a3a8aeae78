/* The cell that is filled once, READY relaxed: it looks full before the value is there. rc11: data race, old value.
 * armv8: the same, stores are reordered. */
#define READY memory_order_relaxed
#include "once-cell.c"
