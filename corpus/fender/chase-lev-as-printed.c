/* The queue of Chase and Lev as the Fender paper prints it: a task is lost, on all models. */
#define AS_PRINTED
#include "chase-lev.c"
