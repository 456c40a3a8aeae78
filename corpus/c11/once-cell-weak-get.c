/* The cell that is filled once, GET relaxed: the value is read before the cell is seen to be full. rc11: data race,
 * old value. armv8: the same, a branch does not keep loads in order. */
#define GET memory_order_relaxed
#include "once-cell.c"
