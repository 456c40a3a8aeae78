/* The synchronous dual queue of chapter 10: a lock-free queue that holds either offers of values or reservations for
 * values. A call that finds its own kind, or nothing, appends a node and waits until that is fulfilled; a call that
 * finds the other kind fulfils the oldest node and takes it off.
 *
 * As published, dequeue fulfils an offer by swapping what it read there for nothing. If the value was gone before it was
 * read, nothing is swapped for nothing, and dequeue returns without a value although it should wait. -DPATCHED tries
 * again in that case.
 *
 * No call can return on its own, so the file has no serial executions to take a specification from. What is checked
 * as it stands is a closed program; tests need a reference:
 *   fencepost check --reference synchronous-queue-reference.c --test '( e | d )' synchronous-dual-queue.c */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* No value: values are not negative. */
#define NOTHING (-1)

typedef enum { OFFER, RESERVATION } kind_t;

typedef struct node {
    kind_t kind;
    atomic_int item;
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

static bool swap_item(node_t *node, int old, int new)
{
    return atomic_compare_exchange_strong(&node->item, &old, new);
}

static node_t *new_node(kind_t kind, int item)
{
    node_t *node = malloc(sizeof(node_t));
    node->kind = kind;
    atomic_store_explicit(&node->item, item, memory_order_relaxed);
    atomic_store_explicit(&node->next, 0, memory_order_relaxed);
    return node;
}

static void init_queue(queue_t *queue)
{
    node_t *sentinel = new_node(OFFER, NOTHING);
    queue->head = sentinel;
    queue->tail = sentinel;
}

/* Tries to append a node behind what was the last one, and waits until it is fulfilled. */
static bool wait_in_line(queue_t *queue, node_t *last, node_t *node, int item)
{
    node_t *next = last->next;
    if (last != queue->tail)
        return false;
    if (next) {
        swap(&queue->tail, last, next);
        return false;
    }
    if (!swap(&last->next, 0, node))
        return false;
    swap(&queue->tail, last, node);
    while (node->item == item)
        ;
    node_t *first = queue->head;
    if (node == first->next)
        swap(&queue->head, first, node);
    return true;
}

/* The node to fulfil, if the queue is still as it was seen. */
static node_t *oldest(queue_t *queue, node_t *first, node_t *last)
{
    node_t *node = first->next;
    return last == queue->tail && first == queue->head ? node : 0;
}

static void enqueue(queue_t *queue, int value)
{
    node_t *node = new_node(OFFER, value);
    while (true) {
        node_t *last = queue->tail;
        node_t *first = queue->head;
        if (first == last || last->kind == OFFER) {
            if (wait_in_line(queue, last, node, value))
                return;
        } else {
            node_t *reservation = oldest(queue, first, last);
            if (!reservation)
                continue;
            bool fulfilled = swap_item(reservation, NOTHING, value);
            swap(&queue->head, first, reservation);
            if (fulfilled)
                return;
        }
    }
}

static bool dequeue(queue_t *queue, int *value)
{
    node_t *node = new_node(RESERVATION, NOTHING);
    while (true) {
        node_t *last = queue->tail;
        node_t *first = queue->head;
        if (first == last || last->kind == RESERVATION) {
            if (wait_in_line(queue, last, node, NOTHING)) {
                *value = node->item;
                return true;
            }
        } else {
            node_t *offer = oldest(queue, first, last);
            if (!offer)
                continue;
            int item = offer->item;
#ifdef PATCHED
            bool fulfilled = item != NOTHING && swap_item(offer, item, NOTHING);
#else
            bool fulfilled = swap_item(offer, item, NOTHING);
#endif
            swap(&queue->head, first, offer);
            if (fulfilled) {
                *value = item;
                return item != NOTHING;
            }
        }
    }
}

queue_t q;

#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost op d = dequeue(&q, out)
#pragma fencepost oracle queue, synchronous
#ifdef PATCHED
#include "synchronous-queue-main.h"
#pragma fencepost expect main sc holds
#else
#define CONTEST
#include "synchronous-queue-main.h"
#pragma fencepost expect main sc violated
#endif
