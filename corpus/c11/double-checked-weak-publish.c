/* Double-checked initialisation, PUBLISH relaxed: who does not lock finds the object before its value. rc11: data
 * race, undefined value. armv8: the same, stores are reordered. */
#define PUBLISH memory_order_relaxed
#include "double-checked.c"
