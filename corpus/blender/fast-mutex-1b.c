/* Fast1b in two rounds: Lamport's fast mutex with fence 2 of three only. */
#define ROUNDS 2
#define ONLY_FENCE 2
#include "fast-mutex.c"

#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
