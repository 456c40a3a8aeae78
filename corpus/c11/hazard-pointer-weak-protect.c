/* Hazard pointers, PROTECT_FENCE acq_rel: the reader looks again before its announcement is seen. rc11 and x86: the
 * object is freed while it is in use. armv8: right, such a fence is still a full one there; wrong on power. */
#define PROTECT_FENCE memory_order_acq_rel
#include "hazard-pointer.c"
