/* The lazy counted object, DROP relaxed: nothing orders a user's read before the last one frees. rc11: data race of
 * a read with free. armv8: a load is overtaken by a later store, and finds the object freed. */
#define DROP memory_order_relaxed
#include "lazy-arc.c"
