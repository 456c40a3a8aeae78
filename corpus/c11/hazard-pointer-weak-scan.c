/* Hazard pointers, SCAN relaxed: nothing orders the reader's accesses before the writer frees. rc11: data race of a
 * read with free. armv8 and power order free, a store, behind the branch it depends on: right there. */
#define SCAN memory_order_relaxed
#include "hazard-pointer.c"
