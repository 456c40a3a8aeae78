/* Lamport's ring, CONSUME relaxed: the cell is written again before it is read (PPC). rc11: data race; no execution
 * has a wrong value. armv8: a load is overtaken by a later store, so the consumer finds the newer value. */
#define CONSUME memory_order_relaxed
#include "spsc-ring.c"
