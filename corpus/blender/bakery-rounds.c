/* Lam2 in two rounds: Lamport's bakery with its fences. */
#define ROUNDS 2
#include "bakery.c"

#pragma fencepost expect main sc, tso, pso holds
