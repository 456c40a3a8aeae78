/* Attacks primed operations: one fails before its retry loop repeats, and so does another thread's call; only what would
   come after the repetition is left out. */
#include <assert.h>
#include <fencepost.h>
int x, torn;
int inc(void)
{
    int old;
    torn = 1;
    do {
        old = x;
        assert(old < 2);
    } while (!cas(&x, old, old + 1));
    torn = 0;
    return old;
}
int look(void)
{
    int seen = x, half = torn;
    assert(!(seen == 1 && half && x == 1));
    return 0;
}
void set(void)
{
    x = 2;
}
#pragma fencepost op i = inc()
#pragma fencepost op l = look()
#pragma fencepost op s = set()
#pragma fencepost test Other = ( i' | i' | l )
#pragma fencepost expect Other sc, tso, pso violated
