/* The lazy counted object, LOST relaxed: a user whose swap failed reads an object that it did not acquire. rc11:
 * data race, undefined value. armv8 and power order by the address dependency: right there. */
#define LOST memory_order_relaxed
#include "lazy-arc.c"
