/* Peterson's algorithm, LOOK relaxed: who finds the other gone goes on too early. rc11: data race, lost addition.
 * armv8: the same, a branch does not keep loads in order. */
#define LOOK memory_order_relaxed
#include "peterson.c"
