/* Attacks silent turns that lock and unlock, on a model of one's own on which blocks overtake stores that others do not. */
#include <assert.h>
#include <fencepost.h>
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
    atomic_exchange_explicit(&done, 1, memory_order_relaxed);
    pthread_join(t, 0);
    return 0;
}
