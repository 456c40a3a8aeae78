/* Attacks silent turns that lock and unlock: the unlock comes late, and what the thread does behind the loop overtakes it and lets
   another thread find the lock held. So the turn is noticed only because its thread went on: stopped behind the turn, nobody looks. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock, flag, done;
void *watcher(void *arg)
{
    atomic_store(&flag, 1);
    if (atomic_load(&done))
        assert(atomic_load(&lock) == 0);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, watcher, 0);
    while (1) {
        if (atomic_load(&flag))
            break;
        atomic_exchange(&lock, 1);
        atomic_store_explicit(&lock, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main pso, rmo, relaxed violated
