/* The queue of Michael and Scott without fences: right where stores stay in order, wrong elsewhere. */
#define UNFENCED
#include "msn.c"
