/* Attacks silent turns that lock and unlock: two loops, a turn of each, both unlocks late, both noticed because of what comes behind
   the second loop. One turn that may be left in is not enough. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int a, b, first, second, done;
void *watcher(void *arg)
{
    atomic_store(&first, 1);
    atomic_store(&second, 1);
    if (atomic_load(&done))
        assert(!(atomic_load(&a) && atomic_load(&b)));
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, watcher, 0);
    while (!atomic_load(&first)) {
        atomic_exchange_explicit(&a, 1, memory_order_acquire);
        atomic_store_explicit(&a, 0, memory_order_relaxed);
    }
    while (!atomic_load(&second)) {
        atomic_exchange_explicit(&b, 1, memory_order_acquire);
        atomic_store_explicit(&b, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return 0;
}
#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main pso, rmo, relaxed violated
