/* Dekker's algorithm, ENTER_FENCE acq_rel: both look before the other's announcement is seen, and both enter. rc11:
 * data race, lost addition. x86: lost addition. armv8: right, such a fence is still a full one there; wrong on
 * power. */
#define ENTER_FENCE memory_order_acq_rel
#include "dekker.c"
