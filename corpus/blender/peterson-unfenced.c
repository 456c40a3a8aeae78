/* Pet0 in two rounds: Peterson's algorithm without fences. */
#define ROUNDS 2
#define UNFENCED
#include "peterson.c"

#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
