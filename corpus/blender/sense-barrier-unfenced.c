/* Sense0 in two rounds: the barrier without its fence, right where stores stay in order. */
#define ROUNDS 2
#define UNFENCED
#include "sense-barrier.c"

#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main pso violated
