/* The lock-free hash set with a remove that knows whether it set the mark itself. An added value can still be lost. */
#define PATCHED
#include "lock-free-hash-set.c"
