/* What a synchronous queue looks like when its calls are put in a row: every enqueue is followed by the dequeue that
 * takes its value. The specification for the other synchronous queues, by --reference. */
#include <fencepost.h>
#include <stdbool.h>

typedef struct queue {
    int item;
    bool full;
} queue_t;

static void init_queue(queue_t *queue)
{
    queue->full = false;
}

static void enqueue(queue_t *queue, int value)
{
    fp_atomic
    {
        fp_assume(!queue->full);
        queue->item = value;
        queue->full = true;
    }
}

static bool dequeue(queue_t *queue, int *value)
{
    fp_atomic
    {
        fp_assume(queue->full);
        *value = queue->item;
        queue->full = false;
    }
    return true;
}

queue_t q;

#pragma fencepost init init_queue(&q)
#pragma fencepost op e = enqueue(&q, any(0, 1))
#pragma fencepost op d = dequeue(&q, out)
#pragma fencepost oracle queue, synchronous
#pragma fencepost test ED   = ( e | d )
#pragma fencepost test EEDD = ( e e | d d )
#pragma fencepost test EdEd = ( e | e | d | d )
#pragma fencepost expect ED sc holds
#pragma fencepost expect EEDD sc holds
#pragma fencepost expect EdEd sc holds
