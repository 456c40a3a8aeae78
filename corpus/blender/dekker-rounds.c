/* Dek2 in two rounds: Dekker's algorithm with its fences. */
#define ROUNDS 2
#include "dekker.c"

#pragma fencepost expect main sc, tso, pso holds
