/* The non-blocking queue as published, without fences: right where stores stay in order, wrong elsewhere. */
#define UNFENCED
#include "msn.c"
