/* Fast0 in two rounds: Lamport's fast mutex without fences. */
#define ROUNDS 2
#define UNFENCED
#include "fast-mutex.c"

#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
