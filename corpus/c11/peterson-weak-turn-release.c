/* Peterson's algorithm, TURN without its release: the second thread does not see that the first is there, and both
 * enter. rc11: data race, lost addition. armv8: the same, stores are reordered. */
#define TURN memory_order_acquire
#include "peterson.c"
