/* The fine-grained heap as the book prints it, whose remove_min does not ask whether the heap is empty. Removing from an
 * empty one, adding and removing again does not find what was added, as a sweep shows (( r() add(0, 0) r() )); removing
 * twice leaves the array. */
#define AS_PRINTED
#include "fine-grained-heap.c"
