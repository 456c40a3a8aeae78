/* Attacks silent turns with an unlock that finds the lock freed because of what its thread does behind the loop, on tso: no store overtakes
   the unlock there, but a ghost does, and who hears of it frees the lock. */
#include <fencepost.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int *lock, flag;
int done;
void *owner(void *arg)
{
    int told;
    atomic_store(&flag, 1);
    fp_ghost { told = done; }
    if (told)
        free(lock);
    return arg;
}
int main(void)
{
    pthread_t t;
    lock = calloc(1, sizeof *lock);
    atomic_int *own = lock;
    pthread_create(&t, 0, owner, 0);
    while (1) {
        if (atomic_load(&flag))
            break;
        atomic_exchange(own, 1);
        atomic_store_explicit(own, 0, memory_order_relaxed);
    }
    fp_ghost { done = 1; }
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
