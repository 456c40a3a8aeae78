/* The non-blocking queue of Michael and Scott (PODC 1996), with the fences of CheckFence's Figure 9.
 *
 * The counters that the original packs beside each pointer are left out, as in the paper: memory is not
 * reused here. Compiled with UNFENCED, the fences vanish; with -DNO_FENCE=3, only the third does. */
#include <fencepost.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef UNFENCED
#define ORDER(number, kind)
#else
#ifndef NO_FENCE
#define NO_FENCE 0
#endif
#define ORDER(number, kind) \
    do {                    \
        if (number != NO_FENCE) \
            fence(kind);    \
    } while (0)
#endif

typedef int value_t;

typedef struct node {
    struct node *next;
    value_t value;
} node_t;

typedef struct queue {
    node_t *head;
    node_t *tail;
} queue_t;

static void init_queue(queue_t *queue)
{
    node_t *node = malloc(sizeof(node_t));
    node->next = 0;
    queue->head = queue->tail = node;
}

static void enqueue(queue_t *queue, value_t value)
{
    node_t *node, *tail, *next;
    node = malloc(sizeof(node_t));
    node->value = value;
    node->next = 0;
    ORDER(1, "store-store");
    while (true) {
        tail = queue->tail;
        ORDER(2, "load-load");
        next = tail->next;
        ORDER(3, "load-load");
        if (tail == queue->tail) {
            if (next == 0) {
                if (cas(&tail->next, next, node))
                    break;
            } else {
                cas(&queue->tail, tail, next);
            }
        }
    }
    ORDER(4, "store-store");
    cas(&queue->tail, tail, node);
}

static bool dequeue(queue_t *queue, value_t *value)
{
    node_t *head, *tail, *next;
    while (true) {
        head = queue->head;
        ORDER(5, "load-load");
        tail = queue->tail;
        ORDER(6, "load-load");
        next = head->next;
        ORDER(7, "load-load");
        if (head == queue->head) {
            if (head == tail) {
                if (next == 0)
                    return false;
                cas(&queue->tail, tail, next);
            } else {
                *value = next->value;
                if (cas(&queue->head, head, next))
                    break;
            }
        }
    }
    return true;
}

queue_t q;

#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost op d = dequeue(&q, out)

#pragma fencepost test T0   = ( e | d )
#pragma fencepost test T1   = ( e | e | d | d )
#pragma fencepost test Tpc2 = ( e e | d d )
#pragma fencepost test Tpc3 = ( e e e | d d d )
#pragma fencepost test Tpc4 = ( e e e e | d d d d )
#pragma fencepost test Tpc5 = ( e e e e e | d d d d d )
#pragma fencepost test Tpc6 = ( e e e e e e | d d d d d d )
#pragma fencepost test Ti2  = e ( e d | d e )
#pragma fencepost test Ti3  = e ( d e | d d e )
#pragma fencepost test T53  = ( e e e e | d | d )
#pragma fencepost test T54  = ( e e e | e | d | d )
#pragma fencepost test T55  = ( e e | e | e | d | d )
#pragma fencepost test T56  = ( e | e | e | e | d | d )
