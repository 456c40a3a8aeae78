/* Attacks silent turns that lock and unlock: the store of another thread comes between the two, but only after what the thread does
   behind the loop, which overtook the second. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock, flag, done;
void *meddler(void *arg)
{
    atomic_store(&flag, 1);
    if (atomic_load(&done)) {
        atomic_store(&lock, 5);
        assert(atomic_load(&lock) == 5);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, meddler, 0);
    while (1) {
        if (atomic_load(&flag))
            break;
        atomic_exchange(&lock, 1);
        atomic_store_explicit(&lock, 0, memory_order_relaxed);
    }
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return 0;
}
#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main pso, rmo, relaxed violated
