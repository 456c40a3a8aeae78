/* Dekker's algorithm, ENTERED relaxed: who waited goes on too early. rc11: data race, lost addition. armv8: the
 * same, a branch does not keep loads in order. */
#define ENTERED memory_order_relaxed
#include "dekker.c"
