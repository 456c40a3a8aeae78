/* Fast3 in two rounds: Lamport's fast mutex with its fences. */
#define ROUNDS 2
#include "fast-mutex.c"

#pragma fencepost expect main sc, tso, pso holds
