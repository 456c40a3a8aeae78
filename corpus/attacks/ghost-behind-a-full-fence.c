/* Attacks silent turns that lock and unlock: a store-load fence behind the unlock keeps ghosts behind it, too, so the turn may be cut.
   As noticed-by-a-ghost.c with that fence: nobody finds the lock held. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock, flag;
int done;
void *watcher(void *arg)
{
    int told;
    atomic_store(&flag, 1);
    fp_ghost { told = done; }
    if (told)
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
        fence("full");
    }
    fp_ghost { done = 1; }
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso holds
