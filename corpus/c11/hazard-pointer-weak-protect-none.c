/* Hazard pointers without PROTECT_FENCE: the reader looks again before its announcement is seen. rc11, armv8 and
 * x86: the object is freed while it is in use. */
#define PROTECT_FENCE memory_order_relaxed
#include "hazard-pointer.c"
