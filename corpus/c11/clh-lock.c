/* The queue lock of Craig, Landin and Hagersten (1993) as C11. A thread puts its node at the end of the queue and
 * waits until the node in front is unlocked, which is its own the next time.
 *
 * LEAVE releases and WAIT acquires what was done under the lock. SWAP releases the node that was just locked and
 * acquires the one in front: else that one may look unlocked, as it was before. */
#include <stdatomic.h>
#include <stdbool.h>

#ifndef SWAP
#define SWAP memory_order_acq_rel
#endif
#ifndef WAIT
#define WAIT memory_order_acquire
#endif
#ifndef LEAVE
#define LEAVE memory_order_release
#endif

typedef struct node {
    atomic_bool locked;
} node_t;

node_t nodes[3];
_Atomic(node_t *) tail = &nodes[2];
node_t *mine[2] = {&nodes[0], &nodes[1]};
node_t *before[2];

static void enter(int me)
{
    atomic_store_explicit(&mine[me]->locked, true, memory_order_relaxed);
    before[me] = atomic_exchange_explicit(&tail, mine[me], SWAP);
    while (atomic_load_explicit(&before[me]->locked, WAIT))
        ;
}

static void leave(int me)
{
    atomic_store_explicit(&mine[me]->locked, false, LEAVE);
    mine[me] = before[me];
}

#include "lock-client.h"
#pragma fencepost expect main sc holds
