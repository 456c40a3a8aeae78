/* Attacks: mining counts the calls of each thread. A thread that makes 256 of them is not one that has made none: the last call gives back
 * 256, and nothing else. */
static int calls;

static int call(void) { return ++calls; }

#pragma fencepost op i = call()
#pragma fencepost test T = ( iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii )
#pragma fencepost expect T sc, tso, pso, rmo, relaxed holds
