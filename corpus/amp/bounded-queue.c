/* The bounded queue of chapter 10: a linked list with one lock for either end and an atomic count of the values in it.
 * enqueue waits while the queue is full and dequeue while it is empty. Whoever takes the count away from zero, or from
 * the capacity, wakes those who wait at the other end. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include "monitor.h"

#ifndef CAPACITY
#define CAPACITY 2
#endif

typedef struct node {
    int value;
    _Atomic(struct node *) next;
} node_t;

typedef struct queue {
    node_t *head;
    node_t *tail;
    atomic_int size;
    pthread_mutex_t enqueue_lock;
    pthread_mutex_t dequeue_lock;
    pthread_cond_t not_full;
    pthread_cond_t not_empty;
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
    queue->size = 0;
    pthread_mutex_init(&queue->enqueue_lock, 0);
    pthread_mutex_init(&queue->dequeue_lock, 0);
    pthread_cond_init(&queue->not_full, 0);
    pthread_cond_init(&queue->not_empty, 0);
}

static void wake(pthread_mutex_t *lock, pthread_cond_t *condition)
{
    pthread_mutex_lock(lock);
    pthread_cond_broadcast(condition);
    pthread_mutex_unlock(lock);
}

static void enqueue(queue_t *queue, int value)
{
    node_t *node = new_node(value);
    pthread_mutex_lock(&queue->enqueue_lock);
    AWAIT(&queue->not_full, &queue->enqueue_lock, queue->size != CAPACITY);
    queue->tail->next = node;
    queue->tail = node;
    bool was_empty = atomic_fetch_add(&queue->size, 1) == 0;
    pthread_mutex_unlock(&queue->enqueue_lock);
    if (was_empty)
        wake(&queue->dequeue_lock, &queue->not_empty);
}

static bool dequeue(queue_t *queue, int *value)
{
    pthread_mutex_lock(&queue->dequeue_lock);
    AWAIT(&queue->not_empty, &queue->dequeue_lock, queue->size != 0);
    node_t *first = queue->head->next;
    *value = first->value;
    queue->head = first;
    bool was_full = atomic_fetch_sub(&queue->size, 1) == CAPACITY;
    pthread_mutex_unlock(&queue->dequeue_lock);
    if (was_full)
        wake(&queue->enqueue_lock, &queue->not_full);
    return true;
}

queue_t q;

#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost op d = dequeue(&q, out)
#pragma fencepost oracle queue, bounded(2)
#include "queue-tests.h"
#pragma fencepost test Full = ( e e e | d )
#pragma fencepost expect Seq sc holds
#pragma fencepost expect ED sc holds
#pragma fencepost expect EE sc holds
#pragma fencepost expect DD sc holds
#pragma fencepost expect EEDD sc holds
#pragma fencepost expect EDED sc holds
#pragma fencepost expect Full sc holds
