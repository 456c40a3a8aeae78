/* Treiber's stack without fences: right where stores stay in order, wrong elsewhere. */
#define UNFENCED
#include "treiber.c"
