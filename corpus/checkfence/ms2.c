/* The two-lock queue of Michael and Scott (PODC 1996). The head and the tail have locks of their own, so
 * that one enqueue and one dequeue run side by side; they meet at the first node, where fences are needed:
 * a node must be complete before it is linked, and its value must be read after the link to it. */
#include <fencepost.h>
#include <stdbool.h>
#include <stdlib.h>
#include "order.h"

typedef int value_t;

typedef struct node {
    struct node *next;
    value_t value;
} node_t;

typedef struct queue {
    node_t *head;
    node_t *tail;
    lock_t head_lock;
    lock_t tail_lock;
} queue_t;

static void init_queue(queue_t *queue)
{
    node_t *node = malloc(sizeof(node_t));
    node->next = 0;
    queue->head = queue->tail = node;
}

static void enqueue(queue_t *queue, value_t value)
{
    node_t *node = malloc(sizeof(node_t));
    node->value = value;
    node->next = 0;
    ORDER(1, "store-store");
    lock(&queue->tail_lock);
    queue->tail->next = node;
    queue->tail = node;
    unlock(&queue->tail_lock);
}

static bool dequeue(queue_t *queue, value_t *value)
{
    node_t *node, *next;
    lock(&queue->head_lock);
    node = queue->head;
    next = node->next;
    ORDER(2, "load-load");
    if (next == 0) {
        unlock(&queue->head_lock);
        return false;
    }
    *value = next->value;
    queue->head = next;
    unlock(&queue->head_lock);
    free(node);
    return true;
}

queue_t q;

#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost op d = dequeue(&q, out)
#include "queue-tests.h"

#ifndef UNFENCED
#pragma fencepost expect T0, T1, Tpc2, Tpc3, Ti2, Ti3, T53 sc, tso, pso, rmo, relaxed holds
#else
#pragma fencepost expect T0, T1, Tpc2, Tpc3, Ti2, Ti3, T53 sc, tso holds
#pragma fencepost expect T0, T1, Tpc2, Tpc3, Ti3, T53 pso, rmo, relaxed violated
#pragma fencepost expect Ti2 pso, rmo, relaxed holds
#endif
