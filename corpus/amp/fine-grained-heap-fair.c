/* The fine-grained heap with fair locks. It can still deadlock. */
#define FAIR
#include "fine-grained-heap.c"
