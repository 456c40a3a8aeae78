/* Pet2 in two rounds: Peterson's algorithm with its fences. */
#define ROUNDS 2
#include "peterson.c"

#pragma fencepost expect main sc, tso, pso holds
