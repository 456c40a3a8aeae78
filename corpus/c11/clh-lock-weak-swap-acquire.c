/* The CLH lock, SWAP without its acquire: the node in front may look unlocked, as it was before. rc11: data race,
 * lost addition. armv8 and power order by the address dependency: right there. */
#define SWAP memory_order_release
#include "clh-lock.c"
