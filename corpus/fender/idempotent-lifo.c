/* Idempotent work stealing, last in, first out (Michael, Vechev, Saraswat, PPoPP 2009): owner and thieves work at
 * the same end. The owner writes the anchor, which holds the tail and a tag that put increments, without any
 * atomic operation. So a task may come out twice, but none is lost. The array has a fixed size here. */
#include <fencepost.h>
#include <stdbool.h>
#include "order.h"

enum { EMPTY = -1, ROOM = 4 };

/* tail | tag << 8 */
unsigned anchor;
int tasks[ROOM];

static void put(int task)
{
    unsigned a = anchor;
    unsigned t = a & 255, tag = a >> 8;
    tasks[t] = task;
    ORDER(1, "store-store");
    anchor = (t + 1) | (tag + 1) << 8;
}

static int take(void)
{
    unsigned a = anchor;
    unsigned t = a & 255;
    if (t == 0)
        return EMPTY;
    int task = tasks[t - 1];
    anchor = a - 1;
    return task;
}

static int steal(void)
{
    while (true) {
        unsigned a = anchor;
        unsigned t = a & 255;
        if (t == 0)
            return EMPTY;
        ORDER(2, "load-load");
        int task = tasks[t - 1];
        ORDER(3, "load-store");
        if (cas(&anchor, a, a - 1))
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
