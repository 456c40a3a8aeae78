/* The centralized sense-reversing barrier (Herlihy and Shavit's book, chapter 17) for two processes. Who comes
 * last sets the count up anew and turns the sense round, for which the other waits.
 *
 * Sense1 is this file, Sense0 is -DUNFENCED. The fence keeps the sense from turning before the count is set up.
 *
 * Two things are asserted. Nobody passes the barrier before the other has come to it: `came` counts, modulo three,
 * how often a process came. And nobody comes to a barrier at which all are already: without the fence the new
 * count overwrites such an arrival, both wait for ever, and nobody passes wrongly; so the first assertion alone
 * would hold. `came` is written in an atomic block, to be in time on pso; on tso, where this drains the store
 * buffer, the atomic block of the barrier itself does so right behind it. */
#include <assert.h>
#include <fencepost.h>
#include "order.h"
#include "repeat.h"

int count = 2;
bool sense;
int came[2];

static void wait_for_all(bool my_sense)
{
    int left;
    fp_atomic
    {
        left = count - 1;
        count = left;
    }
    assert(left >= 0);
    if (left == 0) {
        count = 2;
        ORDER(1, "full");
        sense = my_sense;
    } else {
        while (sense != my_sense)
            ;
    }
}

static void process(int me)
{
    int phase = 0;
    bool my_sense = false;
    REPEAT
    {
        int behind = phase;
        phase = phase == 2 ? 0 : phase + 1;
        my_sense = !my_sense;
        fp_atomic
        {
            came[me] = phase;
        }
        wait_for_all(my_sense);
        assert(came[1 - me] != behind);
    }
}

#if !defined ROUNDS && defined UNFENCED
#pragma fencepost expect verify sc, tso holds
#pragma fencepost expect verify pso violated
#elif !defined ROUNDS
#pragma fencepost expect verify sc, tso, pso holds
#endif
