/* Dekker's algorithm, LEAVE relaxed: what was done inside is seen too late. rc11: data race, lost addition. armv8:
 * the same, stores are reordered. */
#define LEAVE memory_order_relaxed
#include "dekker.c"
