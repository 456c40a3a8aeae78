/* The lock-free queue of chapter 10, which is that of Michael and Scott. A node is linked behind the last one in one
 * step and becomes the tail in another; whoever finds the tail lagging behind helps.
 *
 * -DNAIVE_FREE frees the old sentinel as soon as it is out of the queue, although other threads may still read it. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct node {
    int value;
    _Atomic(struct node *) next;
} node_t;

typedef struct queue {
    _Atomic(node_t *) head;
    _Atomic(node_t *) tail;
} queue_t;

static bool swap(_Atomic(node_t *) *at, node_t *old, node_t *new)
{
    return atomic_compare_exchange_strong(at, &old, new);
}

static node_t *new_node(int value)
{
    node_t *node = malloc(sizeof(node_t));
    node->value = value;
    atomic_store_explicit(&node->next, 0, memory_order_relaxed);
    return node;
}

static void init_queue(queue_t *queue)
{
    node_t *sentinel = new_node(0);
    queue->head = sentinel;
    queue->tail = sentinel;
}

static void enqueue(queue_t *queue, int value)
{
    node_t *node = new_node(value);
    while (true) {
        node_t *last = queue->tail;
        node_t *next = last->next;
        if (last != queue->tail)
            continue;
        if (next) {
            swap(&queue->tail, last, next);
        } else if (swap(&last->next, 0, node)) {
            swap(&queue->tail, last, node);
            return;
        }
    }
}

static bool dequeue(queue_t *queue, int *out)
{
    while (true) {
        node_t *first = queue->head;
        node_t *last = queue->tail;
        node_t *next = first->next;
        if (first != queue->head)
            continue;
        if (first == last) {
            if (!next)
                return false;
            swap(&queue->tail, last, next);
        } else {
            int value = next->value;
            if (swap(&queue->head, first, next)) {
                *out = value;
#ifdef NAIVE_FREE
                free(first);
#endif
                return true;
            }
        }
    }
}

queue_t q;

#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost op d = dequeue(&q, out)
#pragma fencepost oracle queue
#include "queue-tests.h"
#pragma fencepost expect Seq sc holds
#pragma fencepost expect ED sc holds
#pragma fencepost expect EEDD sc holds
#ifdef NAIVE_FREE
#pragma fencepost expect DD sc violated
#pragma fencepost expect EDED sc violated
#else
#pragma fencepost expect EE sc holds
#pragma fencepost expect DD sc holds
#pragma fencepost expect EDED sc holds
#endif
