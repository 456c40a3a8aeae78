/* The asymmetric Dekker, HEAVY acq_rel: the revoker looks before its announcement is seen. rc11: data race, lost
 * addition. x86: lost addition. armv8: right, such a fence is still a full one there; wrong on power. */
#define HEAVY memory_order_acq_rel
#include "asymmetric-dekker.c"
