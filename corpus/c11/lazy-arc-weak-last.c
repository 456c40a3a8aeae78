/* The lazy counted object without LAST_FENCE: nothing orders the others' reads before free. rc11: data race of a
 * read with free. armv8 and power order free, a store, behind the branch it depends on: right there. */
#define LAST_FENCE memory_order_relaxed
#include "lazy-arc.c"
