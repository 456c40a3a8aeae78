/* Attacks silent turns on rc11: the load of `counter` stands in turns that come around, not in the one that leaves the loop, and the store it races with
 * is made only after the thread has left the loop. Neither the stop after the first silent turn nor leaving the turn out keeps both. `stopped` is relaxed: nothing
 * orders the two, so there is a data race. */
#include <pthread.h>
#include <stdatomic.h>
int counter;
atomic_int stop, stopped;
void *watch(void *unused)
{
    int seen;
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        seen = counter;
    atomic_store_explicit(&stopped, 1, memory_order_release);
    return 0;
}
int main(void)
{
    pthread_t watcher;
    pthread_create(&watcher, 0, watch, 0);
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    while (!atomic_load_explicit(&stopped, memory_order_acquire))
        ;
    counter = 0;
    return 0;
}
#pragma fencepost expect main rc11 holds
#pragma fencepost expect main x86, armv8 holds
