/* Idempotent work stealing at both ends without fences: right where stores stay in order. */
#define UNFENCED
#include "idempotent-deque.c"
