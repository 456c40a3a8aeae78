/* The skip queue as the first edition has it: remove_min can stand for ever on a node that is taken. */
#define FIRST_EDITION
#include "skip-queue.c"
