/* Sense1 in two rounds: the barrier with its fence. */
#define ROUNDS 2
#include "sense-barrier.c"

#pragma fencepost expect main sc, tso, pso holds
