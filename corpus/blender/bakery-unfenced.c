/* Lam0 in two rounds: Lamport's bakery without fences. */
#define ROUNDS 2
#define UNFENCED
#include "bakery.c"

#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
