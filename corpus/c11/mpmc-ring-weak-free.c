/* Vyukov's ring, FREE relaxed: the cell is filled again before its value is read (Full). rc11: data race; no
 * execution has a wrong value. armv8: a load is overtaken by a later store, so dequeue finds the newer value. */
#define FREE memory_order_relaxed
#include "mpmc-ring.c"
