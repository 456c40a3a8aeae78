/* Attacks primed operations: a retry is observed, so the comparison must leave out what comes after it, and nothing else. */
#include <fencepost.h>
int x;
int inc(void)
{
    int old, tries = 0;
    do {
        old = x;
        tries++;
    } while (!cas(&x, old, old + 1));
    return tries;
}
#pragma fencepost op i = inc()
#pragma fencepost test Retried = ( i | i )
#pragma fencepost test Primed = ( i' | i' )
#pragma fencepost expect Retried sc, tso, pso, rmo, relaxed violated
#pragma fencepost expect Primed sc, tso, pso, rmo, relaxed holds
