/* The lazy counted object, SET relaxed: the object is found before its contents. rc11: data race, undefined value.
 * armv8: the same, stores are reordered. */
#define SET memory_order_relaxed
#include "lazy-arc.c"
