/* The queue of Chase and Lev without fences: wrong where a load may overtake a store. */
#define UNFENCED
#include "chase-lev.c"
