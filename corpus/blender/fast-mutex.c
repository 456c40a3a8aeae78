/* Lamport's fast mutex (TOCS 1987) for two processes, 1 and 2: Figure 7 of the paper. Without contention a process
 * enters after two stores to y and x and two loads; whoever finds x changed waits until the other has decided.
 *
 * Fast3 is this file, Fast0 is -DUNFENCED; Fast1a, Fast1b and Fast1c are -DONLY_FENCE=1, 2 and 3.
 *
 * Line 16 of the figure, as printed, clears b[1]; it is b[i] in Lamport's text and here. The waiting of lines 9
 * and 23 is written with the test behind the load, which makes the same accesses. */
#define FIRST 1
#include "order.h"
#include "critical.h"
#include "repeat.h"

bool b[3];
int x, y;

static void process(int i)
{
    REPEAT
    {
        int local_x, local_y;
        bool other_b;
    start:
        b[i] = true;
        x = i;
        ORDER(1, "full");
        local_y = y;
        if (local_y != 0) {
            b[i] = false;
            do {
                local_y = y;
            } while (local_y != 0);
            goto start;
        }
        y = i;
        ORDER(2, "full");
        local_x = x;
        if (local_x != i) {
            b[i] = false;
            do {
                other_b = b[3 - i];
            } while (other_b);
            local_y = y;
            if (local_y == 0)
                goto start;
            if (local_y != i) {
                do {
                    local_y = y;
                } while (local_y != 0);
                goto start;
            }
        }
        ENTER(i);
        LEAVE(i);
        y = 0;
        ORDER(3, "full");
        b[i] = false;
    }
}

#if !defined ROUNDS && (defined UNFENCED || defined ONLY_FENCE)
#pragma fencepost expect verify sc holds
#pragma fencepost expect verify tso, pso violated
#elif !defined ROUNDS
#pragma fencepost expect verify sc, tso, pso holds
#endif
