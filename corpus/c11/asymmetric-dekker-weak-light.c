/* The asymmetric Dekker, LIGHT acq_rel: the owner looks before its announcement is seen. rc11: data race, lost
 * addition. x86: lost addition. armv8: right, such a fence is still a full one there; wrong on power. */
#define LIGHT memory_order_acq_rel
#include "asymmetric-dekker.c"
