/* Peterson's algorithm, TURN without its acquire: the second thread looks too early, and both enter. rc11: data
 * race, lost addition. armv8: right, a releasing store stays before an acquiring load of its thread (ldar; with
 * ldapr it does not). */
#define TURN memory_order_release
#include "peterson.c"
