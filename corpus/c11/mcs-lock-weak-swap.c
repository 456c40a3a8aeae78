/* The MCS lock, SWAP without its acquire: a thread that finds the queue empty goes on too early. rc11: data race,
 * lost addition. armv8: the same, a branch does not keep loads in order. */
#define SWAP memory_order_release
#include "mcs-lock.c"
