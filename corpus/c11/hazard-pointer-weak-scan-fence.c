/* Hazard pointers, SCAN_FENCE acq_rel: the writer looks at the announcement before its replacement is seen. rc11:
 * the object is freed while it is in use. armv8: right, such a fence is still a full one there; and x86: right, an
 * exchange is a full fence there. */
#define SCAN_FENCE memory_order_acq_rel
#include "hazard-pointer.c"
