/* The refinable cuckoo hash set with locks that are made before they can be seen. */
#define PATCHED
#include "refinable-cuckoo-hash-set.c"
#pragma fencepost expect Grow sc holds
