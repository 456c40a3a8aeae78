/* The two-lock queue as published: its locks order what they protect, but not what lies outside. */
#define UNFENCED
#include "ms2.c"
