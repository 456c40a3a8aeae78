/* The refinable hash set with locks that are made before they can be seen. */
#define PATCHED
#include "refinable-hash-set.c"
