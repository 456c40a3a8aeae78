/* Attacks silent turns that lock and unlock: the last store of such a turn comes late and finds its mutex freed, because of what
   its thread does behind the loop. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct guarded {
    pthread_mutex_t mutex;
} *p;
_Atomic int flag, done;
void *visitor(void *arg)
{
    struct guarded *q = p;
    while (1) {
        if (atomic_load_explicit(&flag, memory_order_relaxed))
            break;
        pthread_mutex_lock(&q->mutex);
        pthread_mutex_unlock(&q->mutex);
    }
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return arg;
}
int main(void)
{
    pthread_t t;
    p = malloc(sizeof *p);
    pthread_mutex_init(&p->mutex, 0);
    pthread_create(&t, 0, visitor, 0);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    if (atomic_load_explicit(&done, memory_order_relaxed))
        free(p);
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main pso, rmo, relaxed violated
