/* The queue lock of Mellor-Crummey and Scott (1991) as C11. A thread puts its node at the end of the queue and
 * waits at that node until the one in front hands the lock over.
 *
 * The lock goes on by GRANT and WAIT, or by FREE and SWAP if nobody waits. SWAP also releases the node's fields,
 * which the next thread links itself to, and LINK and NEXT do so for the flag that GRANT clears; weaker orders
 * there make threads wait for ever, which is no error of an execution that ends. */
#include <stdatomic.h>
#include <stdbool.h>

#ifndef SWAP
#define SWAP memory_order_acq_rel
#endif
#ifndef WAIT
#define WAIT memory_order_acquire
#endif
#ifndef GRANT
#define GRANT memory_order_release
#endif
#ifndef FREE
#define FREE memory_order_release
#endif
#ifndef LINK
#define LINK memory_order_release
#endif
#ifndef NEXT
#define NEXT memory_order_acquire
#endif

typedef struct node {
    _Atomic(struct node *) next;
    atomic_bool locked;
} node_t;

node_t nodes[3];
_Atomic(node_t *) tail;

static void enter(int me)
{
    node_t *node = &nodes[me];
    atomic_store_explicit(&node->next, 0, memory_order_relaxed);
    atomic_store_explicit(&node->locked, true, memory_order_relaxed);
    node_t *before = atomic_exchange_explicit(&tail, node, SWAP);
    if (before) {
        atomic_store_explicit(&before->next, node, LINK);
        while (atomic_load_explicit(&node->locked, WAIT))
            ;
    }
}

static void leave(int me)
{
    node_t *node = &nodes[me];
    node_t *next = atomic_load_explicit(&node->next, NEXT);
    if (!next) {
        node_t *last = node;
        if (atomic_compare_exchange_strong_explicit(&tail, &last, 0, FREE, memory_order_relaxed))
            return;
        while (!(next = atomic_load_explicit(&node->next, NEXT)))
            ;
    }
    atomic_store_explicit(&next->locked, false, GRANT);
}

#include "lock-client.h"
#pragma fencepost expect main sc holds
