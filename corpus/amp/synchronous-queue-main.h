/* A closed program for synchronous queues. One thread enqueues two values and the main thread dequeues both, in order.
 * With -DCONTEST, one value is enqueued and two threads dequeue: one of them waits for ever, but neither may return
 * without a value. */
#include <assert.h>
#include <pthread.h>

static void *offer(void *unused)
{
    enqueue(&q, 1);
#ifndef CONTEST
    enqueue(&q, 2);
#endif
    return unused;
}

static int take(void)
{
    int value;
    bool taken = dequeue(&q, &value);
    assert(taken);
    return value;
}

#ifdef CONTEST
static void *contend(void *unused)
{
    take();
    return unused;
}
#endif

int main(void)
{
    pthread_t offering;
    init_queue(&q);
    pthread_create(&offering, 0, offer, 0);
#ifdef CONTEST
    pthread_t contending;
    pthread_create(&contending, 0, contend, 0);
    take();
    pthread_join(contending, 0);
#else
    assert(take() == 1);
    assert(take() == 2);
#endif
    pthread_join(offering, 0);
    return 0;
}
