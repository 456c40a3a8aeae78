/* Attacks the one silent turn that may be left in: the access that comes late stands in a silent turn of a loop inside of a silent turn of
   another, and both are needed for the thread to make it and to come to what frees the object. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *p;
_Atomic int flag, gate, done;
void *reader(void *arg)
{
    int *q = p;
    while (1) {
        if (atomic_load_explicit(&flag, memory_order_relaxed))
            break;
        while (1) {
            if (atomic_load_explicit(&gate, memory_order_relaxed))
                break;
            (void)*(volatile int *)q;
        }
    }
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return arg;
}
int main(void)
{
    pthread_t t;
    p = calloc(1, sizeof *p);
    pthread_create(&t, 0, reader, 0);
    atomic_store_explicit(&gate, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    if (atomic_load_explicit(&done, memory_order_relaxed))
        free(p);
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso holds
#pragma fencepost expect main rmo, relaxed violated
