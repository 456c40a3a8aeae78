/* The asymmetric Dekker without LIGHT, as one has it beside membarrier, but HEAVY is only a fence: the owner looks
 * before its announcement is seen. rc11: data race, lost addition. x86 and armv8: lost addition. */
#define LIGHT memory_order_relaxed
#include "asymmetric-dekker.c"
