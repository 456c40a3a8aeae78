/* Dekker's algorithm without ENTER_FENCE: both look before the other's announcement is seen, and both enter. rc11:
 * data race, lost addition. x86 and armv8: lost addition. */
#define ENTER_FENCE memory_order_relaxed
#include "dekker.c"
