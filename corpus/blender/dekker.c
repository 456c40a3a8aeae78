/* Dekker's algorithm (in Dijkstra's EWD 123, 1965): the first for two processes. A process says that it wants to
 * enter; if the other wants to as well, the one that does not have the turn steps back until it does.
 *
 * Dek2 is this file, Dek0 is -DUNFENCED. The paper does not say where its two fences are; these are where a
 * process has said that it wants to enter and looks at the other next. */
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
        wants[me] = true;
        ORDER(1, "full");
        while (true) {
            bool wanted;
            do {
                wanted = wants[other];
            } while (wanted && turn == me);
            if (!wanted)
                break;
            wants[me] = false;
            while (turn == other)
                ;
            wants[me] = true;
            ORDER(2, "full");
        }
        ENTER(me);
        LEAVE(me);
        turn = other;
        wants[me] = false;
    }
}

#if !defined ROUNDS && defined UNFENCED
#pragma fencepost expect verify sc holds
#pragma fencepost expect verify tso, pso violated
#elif !defined ROUNDS
#pragma fencepost expect verify sc, tso, pso holds
#endif
