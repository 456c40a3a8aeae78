/* The tree of chapter 15: a complete binary tree with a pool at every leaf, one for each score, and at every other node
 * a count of the values below its left child. add puts its value into the pool and then climbs and counts; remove_min
 * follows the counts down.
 *
 * The book claims quiescent consistency, but it is not even that: remove_min can take a value before add has counted it
 * all the way up, and the next remove_min then finds nothing although another value is there (test ARR). */
#include <stdatomic.h>
#include "bin.h"

#ifndef LOG_RANGE
#define LOG_RANGE 2
#endif
#define RANGE (1 << LOG_RANGE)

/* Node 1 is the root; the children of node n are 2n and 2n + 1; the leaves are the nodes from RANGE on. */
typedef struct pq {
    atomic_int counts[RANGE];
    bin_t bins[RANGE];
} pq_t;

static void init_pq(pq_t *pq)
{
    for (int i = 0; i < RANGE; i++) {
        pq->counts[i] = 0;
        init_bin(&pq->bins[i]);
    }
}

static bool is_left(int node) { return node % 2 == 0; }

/* Takes one off, but never goes below zero. Says whether there was one. */
static bool count_down(atomic_int *count)
{
    int old = *count;
    while (old > 0)
        if (atomic_compare_exchange_strong(count, &old, old - 1))
            return true;
    return false;
}

static void add(pq_t *pq, int value, int score)
{
    put(&pq->bins[score], value);
    for (int node = RANGE + score; node > 1; node /= 2)
        if (is_left(node))
            atomic_fetch_add(&pq->counts[node / 2], 1);
}

static bool remove_min(pq_t *pq, int *value)
{
    int node = 1;
    for (int level = 0; level < LOG_RANGE; level++)
        node = 2 * node + !count_down(&pq->counts[node]);
    return get(&pq->bins[node - RANGE], value);
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
#pragma fencepost expect AAR sc holds
#pragma fencepost expect ARR sc violated
#pragma fencepost expect AARR sc violated
