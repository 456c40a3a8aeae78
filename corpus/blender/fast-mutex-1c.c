/* Fast1c in two rounds: Lamport's fast mutex with fence 3 of three only. */
#define ROUNDS 2
#define ONLY_FENCE 3
#include "fast-mutex.c"

#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
