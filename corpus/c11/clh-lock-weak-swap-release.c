/* The CLH lock, SWAP without its release: a node is in the queue before it is locked, and the thread behind it
 * enters too early. rc11: data race, lost addition. armv8: the same, stores are reordered. */
#define SWAP memory_order_acquire
#include "clh-lock.c"
