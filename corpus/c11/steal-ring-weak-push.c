/* The work-stealing ring, PUSH relaxed: a thief finds the task's cell before the task. rc11: old content is stolen
 * (PS). armv8: the same, stores are reordered. */
#define PUSH memory_order_relaxed
#include "steal-ring.c"
