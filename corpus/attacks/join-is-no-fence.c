/* Attacks: a join acquires and a signal that wakes nobody does nothing; neither is a fence for the thread that calls it. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso violated
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

int x, y, seen_x, seen_y;
pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;

static void *nothing(void *argument)
{
    return argument;
}

static void *first(void *argument)
{
    pthread_t other;
    pthread_create(&other, 0, nothing, 0);
    x = 1;
    pthread_join(other, 0);
    seen_y = y;
    return argument;
}

static void *second(void *argument)
{
    y = 1;
    pthread_cond_signal(&nobody);
    seen_x = x;
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(seen_x || seen_y);
    return 0;
}
