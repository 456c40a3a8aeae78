/* Attacks silent turns that store and store back: a lock of one's own, with a loop inside of the turn, of which only
   some rounds store. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock;
int flag, x;
static void acquire(void)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong(&lock, &expected, 1))
        expected = 0;
}
static void release(void) { atomic_store_explicit(&lock, 0, memory_order_release); }
void *producer(void *arg)
{
    x = 1;
    acquire();
    flag = 1;
    release();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    int done = 0;
    do {
        acquire();
        done = flag;
        release();
    } while (!done);
    assert(x == 1);
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso holds
