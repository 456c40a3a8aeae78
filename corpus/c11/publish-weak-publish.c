/* Publication, PUBLISH relaxed: the pointer is seen before the record. rc11: data race, undefined value. armv8: the
 * same, stores are reordered. */
#define PUBLISH memory_order_relaxed
#include "publish.c"
