/* The corrected Snark without fences: right where stores and loads stay in order. */
#define UNFENCED
#include "snark-corrected.c"
