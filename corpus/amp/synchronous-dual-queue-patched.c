/* The synchronous dual queue with a dequeue that does not take a value that is gone. */
#define PATCHED
#include "synchronous-dual-queue.c"
