/* Double-checked initialisation, CHECK relaxed: who does not lock did not acquire the object. rc11: data race,
 * undefined value. armv8 and power order by the address dependency: right there. */
#define CHECK memory_order_relaxed
#include "double-checked.c"
