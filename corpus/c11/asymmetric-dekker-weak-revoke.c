/* The asymmetric Dekker, REVOKE relaxed: the revoker goes on too early. rc11: data race, lost addition. armv8: the
 * same, a branch does not keep loads in order. */
#define REVOKE memory_order_relaxed
#include "asymmetric-dekker.c"
