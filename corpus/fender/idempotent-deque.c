/* Idempotent work stealing at both ends (Michael, Vechev, Saraswat, PPoPP 2009): the owner puts and takes at the
 * tail, thieves steal at the head. The anchor holds the head, the number of tasks, and a tag that put increments;
 * the owner writes it without any atomic operation. A task may come out twice, but none is lost. The array has a
 * fixed size here. */
#include <fencepost.h>
#include <stdbool.h>
#include "order.h"

enum { EMPTY = -1, ROOM = 4 };

/* head | size << 8 | tag << 16 */
unsigned anchor;
int tasks[ROOM];

static unsigned pack(unsigned head, unsigned size, unsigned tag)
{
    return head | size << 8 | tag << 16;
}

static void put(int task)
{
    unsigned a = anchor;
    unsigned h = a & 255, s = a >> 8 & 255, tag = a >> 16;
    tasks[(h + s) % ROOM] = task;
    ORDER(1, "store-store");
    anchor = pack(h, s + 1, tag + 1);
}

static int take(void)
{
    unsigned a = anchor;
    unsigned h = a & 255, s = a >> 8 & 255, tag = a >> 16;
    if (s == 0)
        return EMPTY;
    int task = tasks[(h + s - 1) % ROOM];
    anchor = pack(h, s - 1, tag);
    return task;
}

static int steal(void)
{
    while (true) {
        unsigned a = anchor;
        unsigned h = a & 255, s = a >> 8 & 255, tag = a >> 16;
        if (s == 0)
            return EMPTY;
        ORDER(2, "load-load");
        int task = tasks[h];
        ORDER(3, "load-store");
        if (cas(&anchor, a, pack((h + 1) % ROOM, s - 1, tag)))
            return task;
    }
}

#include "idempotent-client.h"

#ifndef UNFENCED
#pragma fencepost expect main sc, tso, pso, rmo holds
#else
#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main pso, rmo violated
#endif
