/* Idempotent work stealing, first in, first out (Michael, Vechev, Saraswat, PPoPP 2009): tasks are put at the
 * tail, and owner and thieves take them at the head. The owner moves the head without any atomic operation, so it
 * can go back, and tasks may come out twice, but none is lost. The array has a fixed size here and does not wrap
 * around.
 *
 * Fence 5 keeps the head from passing the tail in the eyes of a thief, which looks only whether they are equal. */
#include <fencepost.h>
#include <stdbool.h>
#include "order.h"

enum { EMPTY = -1, ROOM = 4 };

int head, tail;
int tasks[ROOM];

static void put(int task)
{
    int t = tail;
    tasks[t] = task;
    ORDER(1, "store-store");
    tail = t + 1;
}

static int take(void)
{
    int h = head;
    int t = tail;
    if (h == t)
        return EMPTY;
    int task = tasks[h];
    ORDER(5, "store-store");
    head = h + 1;
    return task;
}

static int steal(void)
{
    while (true) {
        int h = head;
        ORDER(2, "load-load");
        int t = tail;
        if (h == t)
            return EMPTY;
        ORDER(3, "load-load");
        int task = tasks[h];
        ORDER(4, "load-store");
        if (cas(&head, h, h + 1))
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
