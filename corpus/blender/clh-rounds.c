/* CLH2 in two rounds: the queue lock with its fences. */
#define ROUNDS 2
#include "clh.c"

#pragma fencepost expect main sc, tso, pso holds
