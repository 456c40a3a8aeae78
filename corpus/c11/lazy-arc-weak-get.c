/* The lazy counted object, GET relaxed: a user reads an object that it did not acquire. rc11: data race, undefined
 * value. armv8 and power order by the address dependency: right there. */
#define GET memory_order_relaxed
#include "lazy-arc.c"
