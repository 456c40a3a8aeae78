/* Idempotent work stealing, last in, first out, without fences: right where stores stay in order. */
#define UNFENCED
#include "idempotent-lifo.c"
