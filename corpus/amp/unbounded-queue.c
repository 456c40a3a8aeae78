/* The unbounded queue of chapter 10: a linked list with one lock for either end. dequeue returns false if there is
 * nothing behind the sentinel. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct node {
    int value;
    _Atomic(struct node *) next;
} node_t;

typedef struct queue {
    node_t *head;
    node_t *tail;
    pthread_mutex_t enqueue_lock;
    pthread_mutex_t dequeue_lock;
} queue_t;

static node_t *new_node(int value)
{
    node_t *node = malloc(sizeof(node_t));
    node->value = value;
    atomic_store_explicit(&node->next, 0, memory_order_relaxed);
    return node;
}

static void init_queue(queue_t *queue)
{
    queue->head = queue->tail = new_node(0);
    pthread_mutex_init(&queue->enqueue_lock, 0);
    pthread_mutex_init(&queue->dequeue_lock, 0);
}

static void enqueue(queue_t *queue, int value)
{
    pthread_mutex_lock(&queue->enqueue_lock);
    node_t *node = new_node(value);
    queue->tail->next = node;
    queue->tail = node;
    pthread_mutex_unlock(&queue->enqueue_lock);
}

static bool dequeue(queue_t *queue, int *value)
{
    pthread_mutex_lock(&queue->dequeue_lock);
    node_t *first = queue->head->next;
    if (first) {
        *value = first->value;
        queue->head = first;
    }
    pthread_mutex_unlock(&queue->dequeue_lock);
    return first != 0;
}

queue_t q;

#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost op d = dequeue(&q, out)
#pragma fencepost oracle queue
#include "queue-tests.h"
#pragma fencepost expect Seq sc holds
#pragma fencepost expect ED sc holds
#pragma fencepost expect EE sc holds
#pragma fencepost expect DD sc holds
#pragma fencepost expect EEDD sc holds
#pragma fencepost expect EDED sc holds
