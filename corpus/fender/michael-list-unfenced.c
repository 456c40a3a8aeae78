/* Michael's list-based set without fences: right where stores stay in order. */
#define UNFENCED
#include "michael-list.c"
