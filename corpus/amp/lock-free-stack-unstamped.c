/* The lock-free stack without stamps. */
#define UNSTAMPED
#include "lock-free-stack.c"
