/* Hazard pointers, REPLACE relaxed: the reader finds the new object before its contents. rc11: data race, undefined
 * value. armv8: the same, stores are reordered. */
#define REPLACE memory_order_relaxed
#include "hazard-pointer.c"
