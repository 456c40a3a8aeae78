/* The THE protocol without fences: wrong where a load may overtake a store. */
#define UNFENCED
#include "the.c"
