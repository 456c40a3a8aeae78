/* The work-stealing ring, STEAL relaxed: another thief sees the head but not the tail, and steals what is not there
 * (PSS). rc11: wrong observation. armv8: right there, since all threads see the tail that one has seen; but the
 * cell is written again before the thief has read it (PPS), for a load is overtaken by a later store. rc11 does not
 * allow that one. */
#define STEAL memory_order_relaxed
#include "steal-ring.c"
