/* The work-stealing queue of Chase and Lev (SPAA 2005): Figure 1 of the Fender paper, with its six fences for rmo,
 * numbered as in its Table 1. The owner pushes and takes at the bottom, thieves steal at the top. The array grows
 * when it is full. Memory is never freed.
 *
 * In the figure, take returns at once if a thief was faster with the last task, and leaves bottom below top: the
 * next task that is pushed is not in the queue. -DAS_PRINTED has it so. Chase and Lev set bottom in both cases, as
 * here.
 *
 * Fence 7 is ours. It is needed where a compare-and-swap that fails is just a load, as on Fencepost's rmo: it
 * could then fail because it sees an older top than the load before it did.
 *
 * A thief that loses a race tries again; the figure has it return ABORT, which no serial execution does. */
#include <assert.h>
#include <fencepost.h>
#include <stdbool.h>
#include <stdlib.h>
#include "order.h"

#ifndef INITIAL_SIZE
#define INITIAL_SIZE 2
#endif
/* Larger arrays all have room for this many. */
#define MAX_SIZE 8

enum { EMPTY = -1, ABORT = -2 };

typedef struct {
    long size;
    int *ap;
} item_t;

long top, bottom;
item_t *wsq;

static void init(void)
{
    wsq = malloc(sizeof(item_t));
    wsq->size = INITIAL_SIZE;
    wsq->ap = malloc(INITIAL_SIZE * sizeof(int));
    top = bottom = 0;
}

static item_t *expand(void)
{
    long newsize = wsq->size * 2;
    int *newitems = malloc(MAX_SIZE * sizeof(int));
    item_t *newq = malloc(sizeof(item_t));
    assert(newsize <= MAX_SIZE);
    for (long i = top; i < bottom; i++)
        newitems[i % newsize] = wsq->ap[i % wsq->size];
    newq->size = newsize;
    newq->ap = newitems;
    ORDER(6, "store-store");
    wsq = newq;
    return newq;
}

static void push(int task)
{
    long b = bottom;
    long t = top;
    item_t *q = wsq;
    if (b - t >= q->size - 1)
        q = expand();
    q->ap[b % q->size] = task;
    ORDER(1, "store-store");
    bottom = b + 1;
}

static int take(void)
{
    long b = bottom - 1;
    item_t *q = wsq;
    long t;
    int task;
    bottom = b;
    ORDER(2, "store-load");
    t = top;
    if (b < t) {
        bottom = t;
        return EMPTY;
    }
    task = q->ap[b % q->size];
    if (b > t)
        return task;
    ORDER(7, "load-load");
    if (!cas(&top, t, t + 1))
#ifdef AS_PRINTED
        return EMPTY;
#else
        task = EMPTY;
#endif
    bottom = t + 1;
    return task;
}

static int try_steal(void)
{
    int task;
    long t = top;
    ORDER(3, "load-load");
    long b = bottom;
    ORDER(4, "load-load");
    item_t *q = wsq;
    if (t >= b)
        return EMPTY;
    task = q->ap[t % q->size];
    ORDER(5, "load-store");
    if (!cas(&top, t, t + 1))
        return ABORT;
    return task;
}

static int steal(void)
{
    int task;
    do {
        task = try_steal();
    } while (task == ABORT);
    return task;
}

#pragma fencepost init init()
#pragma fencepost op p = push(any(1, 2))
#pragma fencepost op t = take()
#pragma fencepost op s = steal()
#include "work-tests.h"
/* A thief that is slow to read its task finds another there: fence 5 must be behind the read. */
#pragma fencepost test Lap  = p ( p p | s | s )

#if defined(AS_PRINTED)
#pragma fencepost expect Over sc, tso, pso, rmo violated
#elif defined(UNFENCED)
#pragma fencepost expect PS, PTS, PPSS sc, tso holds
#pragma fencepost expect PS, PTS, PPSS pso, rmo violated
#pragma fencepost expect TTSS sc holds
#pragma fencepost expect TTSS tso, pso, rmo violated
#else
#pragma fencepost expect PS, TS, TSS, PTS, PPSS, TTSS, Over, Full, Lap sc, tso, pso, rmo holds
#endif
