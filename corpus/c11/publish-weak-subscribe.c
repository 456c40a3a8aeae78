/* Publication, SUBSCRIBE relaxed: rc11 knows no dependencies, so this is a data race, and undefined values are
 * read. armv8 and power order by the address dependency: right there. */
#define SUBSCRIBE memory_order_relaxed
#include "publish.c"
