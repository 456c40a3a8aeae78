/* Harris's set without fences: right where stores and loads stay in order. */
#define UNFENCED
#include "harris.c"
