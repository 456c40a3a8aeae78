/* Peterson's algorithm, GIVEN relaxed: who is given the turn goes on too early. rc11: data race, lost addition.
 * armv8: the same, a branch does not keep loads in order. */
#define GIVEN memory_order_relaxed
#include "peterson.c"
