/* Peterson's algorithm (1981): Figures 1 and 2 of the paper. A process says that it wants to enter and gives the turn
 * away; it waits while the other wants to enter as well and has the turn.
 *
 * Pet2 is this file, Pet0 is -DUNFENCED. */
#include "order.h"
#include "critical.h"
#include "repeat.h"

bool wants[2];
int turn;

static void process(int me)
{
    int other = 1 - me;
    REPEAT
    {
        bool e;
        int t;
        wants[me] = true;
        ORDER(1, "full");
        turn = other;
        ORDER(2, "full");
        do {
            e = wants[other];
            t = turn;
        } while (e && t == other);
        ENTER(me);
        LEAVE(me);
        wants[me] = false;
    }
}

#if !defined ROUNDS && defined UNFENCED
#pragma fencepost expect verify sc holds
#pragma fencepost expect verify tso, pso violated
#elif !defined ROUNDS
#pragma fencepost expect verify sc, tso, pso holds
#endif
