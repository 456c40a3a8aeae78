/* The lock-free list with nodes that are freed as soon as they are unlinked. */
#define NAIVE_FREE
#include "lock-free-list.c"
#pragma fencepost expect RR sc violated
#pragma fencepost expect RA sc violated
#pragma fencepost expect ARC sc violated
