/* Attacks silent turns that begin with their lock: on rmo a relaxed exchange keeps nothing behind it, so that a store behind the loop comes
   before the stores of two turns, and who saw it finds the lock held, free and held. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock, flag, done;
void *watcher(void *arg)
{
    atomic_store(&flag, 1);
    if (atomic_load(&done)) {
        int first = atomic_load(&lock);
        int second = atomic_load(&lock);
        int third = atomic_load(&lock);
        assert(!(first == 1 && second == 0 && third == 1));
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, watcher, 0);
    while (1) {
        atomic_exchange_explicit(&lock, 1, memory_order_relaxed);
        int now = atomic_load_explicit(&flag, memory_order_relaxed);
        atomic_store_explicit(&lock, 0, memory_order_relaxed);
        if (now)
            break;
    }
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return 0;
}
#pragma fencepost expect main sc, tso, pso holds
#pragma fencepost expect main rmo, relaxed violated
