/* The stack of Treiber (1986) as C11. Nodes come from malloc and are never freed, so a top that is the same node is
 * the same stack.
 *
 * PUSH releases what the node holds; POP_LOAD, and POP_RETRY where a swap fails and brings the new top, acquire it.
 * The swap of pop publishes nothing: it extends the release sequences of the pushes before it, so it may be
 * relaxed. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef PUSH
#define PUSH memory_order_release
#endif
#ifndef POP_LOAD
#define POP_LOAD memory_order_acquire
#endif
#ifndef POP_RETRY
#define POP_RETRY memory_order_acquire
#endif

typedef struct node {
    struct node *next;
    int value;
} node_t;

_Atomic(node_t *) top;

static void push(int value)
{
    node_t *node = malloc(sizeof(node_t));
    node->value = value;
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, PUSH, memory_order_relaxed))
        ;
}

static bool pop(int *value)
{
    node_t *node = atomic_load_explicit(&top, POP_LOAD);
    do {
        if (!node)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&top, &node, node->next, memory_order_relaxed, POP_RETRY));
    *value = node->value;
    return true;
}

#pragma fencepost op u = push(any(1, 2))
#pragma fencepost op o = pop(out)
#pragma fencepost test UO   = ( u | o )
#pragma fencepost test UUO  = ( u | u | o )
#pragma fencepost test UOO  = u ( u | o | o )
#pragma fencepost test UUOO = ( u u | o o )
#pragma fencepost test UOUO = ( u' o' | u' o' )
#pragma fencepost expect UO, UUO, UOO, UUOO, UOUO sc holds
