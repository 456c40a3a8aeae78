/* Lamport's bakery (CACM 1974) for two processes. A process draws a ticket that is higher than the other's, and
 * waits for the other while that one has a lower ticket; between equal tickets the process's number decides.
 * Tickets are drawn behind a door, so that nobody compares with a ticket that is being drawn.
 *
 * Tickets grow without bound if the processes are never both outside. As in the paper, the highest is MAX_TICKET
 * (2): executions in which a higher one is drawn are not looked at.
 *
 * Lam2 is this file, Lam0 is -DUNFENCED. The paper does not say where its two fences are. The first of these is
 * before a process looks at the other's ticket; the second is where its own is there and it may open the door, and
 * serves also for the looks that follow, since a door that opens late harms nobody. */
#include "order.h"
#include "critical.h"
#include "repeat.h"

#ifndef MAX_TICKET
#define MAX_TICKET 2
#endif

bool choosing[2];
int ticket[2];

static void process(int me)
{
    int other = 1 - me;
    REPEAT
    {
        int mine, others;
        choosing[me] = true;
        ORDER(1, "full");
        mine = ticket[other] + 1;
        assume(mine <= MAX_TICKET);
        ticket[me] = mine;
        ORDER(2, "full");
        choosing[me] = false;
        while (choosing[other])
            ;
        do {
            others = ticket[other];
        } while (others != 0 && (others < mine || (others == mine && other < me)));
        ENTER(me);
        LEAVE(me);
        ticket[me] = 0;
    }
}

#if !defined ROUNDS && defined UNFENCED
#pragma fencepost expect verify sc holds
#pragma fencepost expect verify tso, pso violated
#elif !defined ROUNDS
#pragma fencepost expect verify sc, tso, pso holds
#endif
