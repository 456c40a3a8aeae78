/* The work-stealing ring, TAIL relaxed: a thief reads the cell before it sees that it is filled. rc11: old content
 * is stolen (PS). armv8: the same, a branch does not keep loads in order. */
#define TAIL memory_order_relaxed
#include "steal-ring.c"
