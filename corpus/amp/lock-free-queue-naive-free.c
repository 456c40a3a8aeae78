/* The lock-free queue with sentinels that are freed as soon as they are out of the queue. */
#define NAIVE_FREE
#include "lock-free-queue.c"
#pragma fencepost expect EE sc violated
