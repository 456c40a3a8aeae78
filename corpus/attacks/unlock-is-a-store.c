/* Attacks: unlocking orders no more than its contract, a store that releases. Store buffering behind it is possible. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso violated
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

int x, y, seen_x, seen_y;
pthread_spinlock_t a, b;

static void *first(void *argument)
{
    pthread_spin_lock(&a);
    x = 1;
    pthread_spin_unlock(&a);
    seen_y = y;
    return argument;
}

static void *second(void *argument)
{
    pthread_spin_lock(&b);
    y = 1;
    pthread_spin_unlock(&b);
    seen_x = x;
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(seen_x || seen_y);
    return 0;
}
