/* The skip queue with only the bottom level, which makes a linked list of it. */
#define LEVELS 1
#include "skip-queue.c"
