/* Attacks blocks that synchronise: `pthread_cond_signal` gives no order (only the mutex does). The second signal finds that the first has woken the sleeper, and
 * may not learn from that what came before it: `flag` is relaxed, so the accesses to `data` race. */
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready, data;
atomic_int flag;
void *sleeper(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
void *waker(void *unused)
{
    int sleeps;
    pthread_mutex_lock(&mutex);
    sleeps = ready;
    pthread_mutex_unlock(&mutex);
    if (sleeps) {
        data = 1;
        pthread_cond_signal(&condition);
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    }
    return 0;
}
void *second(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        pthread_cond_signal(&condition);
        data = 2;
    }
    return 0;
}
int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, sleeper, 0);
    pthread_create(&b, 0, waker, 0);
    pthread_create(&c, 0, second, 0);
    return 0;
}
#pragma fencepost expect main rc11 violated
#pragma fencepost expect main x86, armv8 holds
