/* The non-blocking queue of Michael and Scott (PODC 1996) with the fences that Fender infers for rmo, 1 to 3: one
 * in enqueue and two in dequeue. The other four of CheckFence's Figure 9 are needed where dependencies do not
 * order, or protect the comparisons with queue->tail and queue->head, which matter only if memory is reused. Nodes
 * are never freed here.
 *
 * Fence 4 is needed if a thread can read what it stored itself before the loads on which that store depends, as
 * Fencepost's rmo has it: who has moved the tail on to another's node then looks into that node too early. */
#include <fencepost.h>
#include <stdbool.h>
#include <stdlib.h>
#include "order.h"

typedef struct node {
    struct node *next;
    int value;
} node_t;

typedef struct queue {
    node_t *head;
    node_t *tail;
} queue_t;

static node_t *new_node(int value)
{
    node_t *node = malloc(sizeof(node_t));
    node->value = value;
    node->next = 0;
    return node;
}

static void init_queue(queue_t *queue)
{
    queue->head = queue->tail = new_node(0);
}

static void enqueue(queue_t *queue, int value)
{
    node_t *node = new_node(value);
    node_t *tail, *next;
    ORDER(1, "store-store");
    while (true) {
        tail = queue->tail;
        ORDER(4, "load-load");
        next = tail->next;
        if (tail != queue->tail)
            continue;
        if (next != 0)
            cas(&queue->tail, tail, next);
        else if (cas(&tail->next, 0, node))
            break;
    }
    cas(&queue->tail, tail, node);
}

static bool dequeue(queue_t *queue, int *value)
{
    node_t *head, *tail, *next;
    while (true) {
        head = queue->head;
        ORDER(2, "load-load");
        tail = queue->tail;
        ORDER(3, "load-load");
        next = head->next;
        if (head != queue->head)
            continue;
        if (head != tail) {
            *value = next->value;
            if (cas(&queue->head, head, next))
                return true;
        } else if (next == 0) {
            return false;
        } else {
            cas(&queue->tail, tail, next);
        }
    }
}

queue_t q;

#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(1, 2))
#pragma fencepost op d = dequeue(&q, out)
#pragma fencepost test ED   = ( e | d )
#pragma fencepost test EDD  = e ( d | d )
#pragma fencepost test EEDD = ( e e | d d )
#pragma fencepost test EDED = e ( e d | d e )
#pragma fencepost test Four = ( e | e | d | d )
#pragma fencepost test Each = ( e' | e' | d' | d' )
#pragma fencepost test Once = e ( e' d' | d' e' )

#ifndef UNFENCED
#pragma fencepost expect ED, EDD, EEDD, EDED, Each, Once sc, tso, pso, rmo holds
#pragma fencepost expect Four sc, tso, pso holds
#else
#pragma fencepost expect ED, EEDD, EDED sc, tso holds
#pragma fencepost expect ED, EEDD, EDED pso, rmo violated
#endif
