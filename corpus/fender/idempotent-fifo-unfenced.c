/* Idempotent work stealing, first in, first out, without fences: right where stores stay in order. */
#define UNFENCED
#include "idempotent-fifo.c"
