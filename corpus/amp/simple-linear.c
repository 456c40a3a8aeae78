/* The linear priority queue of chapter 15: an array of pools, one for each score. remove_min looks into them from the
 * lowest score upwards.
 *
 * It is quiescently consistent, but neither linearizable nor sequentially consistent: remove_min can pass an empty pool
 * just before a value comes into it, and then find one that was added later with a higher score. */
#include "bin.h"

#ifndef RANGE
#define RANGE 4
#endif

typedef struct pq {
    bin_t bins[RANGE];
} pq_t;

static void init_pq(pq_t *pq)
{
    for (int i = 0; i < RANGE; i++)
        init_bin(&pq->bins[i]);
}

static void add(pq_t *pq, int value, int score)
{
    put(&pq->bins[score], value);
}

static bool remove_min(pq_t *pq, int *value)
{
    for (int i = 0; i < RANGE; i++)
        if (get(&pq->bins[i], value))
            return true;
    return false;
}

pq_t pq;

#include "priority-queue.h"
#pragma fencepost test Seq  = ( a1 a0 r r )
#pragma fencepost test AR   = a1 ( a0 | r )
#pragma fencepost test A    = ( a0 | a1 r )
#pragma fencepost test R    = a0 a1 ( r | r )
#pragma fencepost test AAR  = ( a0 a1 | r )
#pragma fencepost test ARR  = a1 ( a0 | r r )
#pragma fencepost test AARR = a1 ( a0 a2 | r | r )
#pragma fencepost expect Seq sc holds
#pragma fencepost expect AR sc holds
#pragma fencepost expect A sc holds
#pragma fencepost expect R sc holds
#pragma fencepost expect AAR sc violated
#pragma fencepost expect ARR sc holds
#pragma fencepost expect AARR sc violated
