/* A queue for one thread at a time: what the concurrent ones must look like. For --reference. */
#include <stdbool.h>

#define CAPACITY 16

typedef struct queue {
    int values[CAPACITY];
    unsigned head, tail;
} queue_t;

static void enqueue(queue_t *queue, int value)
{
    queue->values[queue->tail++ % CAPACITY] = value;
}

static bool dequeue(queue_t *queue, int *value)
{
    if (queue->head == queue->tail)
        return false;
    *value = queue->values[queue->head++ % CAPACITY];
    return true;
}

queue_t q;

#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost op d = dequeue(&q, out)
#include "queue-tests.h"

#pragma fencepost expect T0, T1, Tpc2, Ti2 serial holds
