/* The lazy list without fences: right where stores and loads stay in order. */
#define UNFENCED
#include "lazylist.c"
