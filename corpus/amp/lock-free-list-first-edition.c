/* The lock-free list as the first edition has it: two threads can remove one value. */
#define FIRST_EDITION
#include "lock-free-list.c"
