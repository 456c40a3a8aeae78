/* The synchronous queue of chapter 10: a monitor with room for one value. enqueue waits for its turn, puts its value
 * there and waits until it is taken; dequeue waits for a value. So every call meets one of the other kind.
 *
 * No call can return on its own, so the file has no serial executions to take a specification from. What is checked
 * as it stands is a closed program; tests need a reference:
 *   fencepost check --reference synchronous-queue-reference.c --test '( e | d )' synchronous-queue.c */
#include <stdbool.h>
#include "monitor.h"

typedef struct queue {
    int item;
    bool full;      /* item holds a value */
    bool enqueuing; /* a thread has offered its value and is not yet through */
    pthread_mutex_t lock;
    pthread_cond_t condition;
} queue_t;

static void init_queue(queue_t *queue)
{
    queue->full = false;
    queue->enqueuing = false;
    pthread_mutex_init(&queue->lock, 0);
    pthread_cond_init(&queue->condition, 0);
}

static void enqueue(queue_t *queue, int value)
{
    pthread_mutex_lock(&queue->lock);
    AWAIT(&queue->condition, &queue->lock, !queue->enqueuing);
    queue->enqueuing = true;
    queue->item = value;
    queue->full = true;
    pthread_cond_broadcast(&queue->condition);
    AWAIT(&queue->condition, &queue->lock, !queue->full);
    queue->enqueuing = false;
    pthread_cond_broadcast(&queue->condition);
    pthread_mutex_unlock(&queue->lock);
}

static bool dequeue(queue_t *queue, int *value)
{
    pthread_mutex_lock(&queue->lock);
    AWAIT(&queue->condition, &queue->lock, queue->full);
    *value = queue->item;
    queue->full = false;
    pthread_cond_broadcast(&queue->condition);
    pthread_mutex_unlock(&queue->lock);
    return true;
}

queue_t q;

#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost op d = dequeue(&q, out)
#pragma fencepost oracle queue, synchronous
#include "synchronous-queue-main.h"
#pragma fencepost expect main sc holds
