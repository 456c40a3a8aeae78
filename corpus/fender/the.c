/* The THE protocol of Cilk-5 (Frigo, Leiserson, Randall, PLDI 1998, Figure 4). The owner pushes and takes at the
 * tail, thieves steal at the head and exclude each other with a lock. Both announce what they take before they
 * look at the other end; the owner that finds a conflict takes the lock, too. The array does not wrap around.
 *
 * A thief that meets the owner at the last task finds nothing, even if the owner steps back then and finds nothing
 * either. So steal may fail without a reason that a serial execution would have (TTSS, Mix), although every task
 * comes out just once (the-client.c). */
#include <fencepost.h>
#include <stdbool.h>
#include "order.h"

#ifndef ROOM
#define ROOM 4
#endif

enum { EMPTY = -1 };

int tasks[ROOM];
int head, tail;
lock_t thieves;

static void init(void)
{
    head = tail = 0;
}

static void push(int task)
{
    int t = tail;
    tasks[t] = task;
    ORDER(1, "store-store");
    tail = t + 1;
}

static int take(void)
{
    int t = tail - 1;
    tail = t;
    ORDER(2, "store-load");
    if (head > t) {
        tail = t + 1;
        lock(&thieves);
        tail = t;
        if (head > t) {
            tail = t + 1;
            unlock(&thieves);
            return EMPTY;
        }
        unlock(&thieves);
    }
    return tasks[t];
}

static int steal(void)
{
    int h, task;
    lock(&thieves);
    h = head;
    head = h + 1;
    ORDER(3, "store-load");
    if (h + 1 > tail) {
        head = h;
        unlock(&thieves);
        return EMPTY;
    }
    ORDER(4, "load-load");
    task = tasks[h];
    unlock(&thieves);
    return task;
}

#ifndef CLIENT
#pragma fencepost init init()
#pragma fencepost op p = push(any(1, 2))
#pragma fencepost op t = take()
#pragma fencepost op s = steal()
#include "work-tests.h"

#ifndef UNFENCED
#pragma fencepost expect PS, TS, TSS, PTS, PPSS, Over, Full sc, tso, pso, rmo holds
#else
#pragma fencepost expect PS sc, tso holds
#pragma fencepost expect PS pso, rmo violated
#pragma fencepost expect TS, Over sc holds
#pragma fencepost expect TS, Over tso, pso, rmo violated
#endif
#pragma fencepost expect TTSS, Mix sc violated
#endif
