/* The client of the THE protocol without fences: a task comes out twice where a load may overtake a store. */
#define UNFENCED
#include "the-client.c"
