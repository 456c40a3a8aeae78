/* CLH0 in two rounds: the queue lock without fences, right where stores stay in order. */
#define ROUNDS 2
#define UNFENCED
#include "clh.c"

#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main pso violated
