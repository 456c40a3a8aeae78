/* Vyukov's ring, FREED relaxed: nothing orders reading a value before writing the next (Full). rc11: data race; no
 * execution has a wrong value. armv8 and power order a store behind the branch it depends on: right there. */
#define FREED memory_order_relaxed
#include "mpmc-ring.c"
