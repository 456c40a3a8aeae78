/* Hazard pointers, CLEAR relaxed: nothing orders the reader's accesses before the writer frees. rc11: data race of
 * a read with free. armv8: a load is overtaken by a later store, and finds the object freed. */
#define CLEAR memory_order_relaxed
#include "hazard-pointer.c"
