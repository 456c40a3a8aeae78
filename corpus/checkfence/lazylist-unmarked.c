/* The lazy list as its pseudocode stands, which leaves the mark of new nodes to chance. */
#define UNMARKED
#include "lazylist.c"
