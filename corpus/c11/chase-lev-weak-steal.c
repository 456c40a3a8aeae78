/* The deque of Chase and Lev, STEAL relaxed: the cell is written again before the thief has read it (Grow, Lap).
 * armv8: wrong observation, a load is overtaken by a later store. rc11 allows no such thing, and cells are atomic:
 * right there. */
#define STEAL memory_order_relaxed
#include "chase-lev.c"
