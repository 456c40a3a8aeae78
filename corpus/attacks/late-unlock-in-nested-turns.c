/* Attacks the one silent turn that may be left in: the unlock that comes late and finds its object freed stands in a silent turn of a loop
   inside of a silent turn of another. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct guarded {
    atomic_int lock;
} *p;
_Atomic int flag, gate, done;
void *visitor(void *arg)
{
    struct guarded *q = p;
    while (1) {
        if (atomic_load_explicit(&flag, memory_order_relaxed))
            break;
        while (1) {
            if (atomic_load_explicit(&gate, memory_order_relaxed))
                break;
            atomic_exchange_explicit(&q->lock, 1, memory_order_acquire);
            atomic_store_explicit(&q->lock, 0, memory_order_relaxed);
        }
    }
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return arg;
}
int main(void)
{
    pthread_t t;
    p = calloc(1, sizeof *p);
    pthread_create(&t, 0, visitor, 0);
    atomic_store_explicit(&gate, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    if (atomic_load_explicit(&done, memory_order_relaxed))
        free(p);
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main pso, rmo, relaxed violated
