/* The queue of Michael and Scott (PODC 1996) as C11. Nodes come from malloc and are never freed.
 *
 * LINK, which puts a node behind the last, releases its value, and NEXT acquires it. Head and tail are pointers to
 * nodes as well, so whoever moves them releases (SWING for the tail, MOVE for the head) and whoever reads them
 * acquires (TAIL, HEAD): the node's own next must be seen initialised. The tail that dequeue reads is only
 * compared. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef LINK
#define LINK memory_order_release
#endif
#ifndef NEXT
#define NEXT memory_order_acquire
#endif
#ifndef SWING
#define SWING memory_order_release
#endif
#ifndef TAIL
#define TAIL memory_order_acquire
#endif
#ifndef MOVE
#define MOVE memory_order_release
#endif
#ifndef HEAD
#define HEAD memory_order_acquire
#endif

typedef struct node {
    int value;
    _Atomic(struct node *) next;
} node_t;

_Atomic(node_t *) head, tail;

static node_t *new_node(int value)
{
    node_t *node = malloc(sizeof(node_t));
    node->value = value;
    atomic_init(&node->next, 0);
    return node;
}

static void init_queue(void)
{
    node_t *sentinel = new_node(0);
    atomic_init(&head, sentinel);
    atomic_init(&tail, sentinel);
}

static void enqueue(int value)
{
    node_t *node = new_node(value);
    while (true) {
        node_t *last = atomic_load_explicit(&tail, TAIL);
        node_t *next = 0;
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, LINK, memory_order_acquire)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, node, SWING, memory_order_relaxed);
            return;
        }
        atomic_compare_exchange_strong_explicit(&tail, &last, next, SWING, memory_order_relaxed);
    }
}

static bool dequeue(int *value)
{
    while (true) {
        node_t *first = atomic_load_explicit(&head, HEAD);
        node_t *last = atomic_load_explicit(&tail, memory_order_relaxed);
        node_t *next = atomic_load_explicit(&first->next, NEXT);
        if (!next)
            return false;
        if (first == last)
            atomic_compare_exchange_strong_explicit(&tail, &last, next, SWING, memory_order_relaxed);
        *value = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, MOVE, memory_order_relaxed))
            return true;
    }
}

#pragma fencepost init init_queue()
#pragma fencepost op e = enqueue(any(1, 2))
#pragma fencepost op d = dequeue(out)
#pragma fencepost test ED   = ( e | d )
#pragma fencepost test EED  = ( e | e | d )
#pragma fencepost test EDD  = ( e | d | d )
#pragma fencepost test EEDD = ( e e | d d )
#pragma fencepost test EDED = ( e' d' | e' d' )
#pragma fencepost expect ED, EED, EDD, EEDD, EDED sc holds
