/* Dek0 in two rounds: Dekker's algorithm without fences. */
#define ROUNDS 2
#define UNFENCED
#include "dekker.c"

#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
