/* Attacks silent turns on rc11: the second store to `data` comes before the loop can be left, and the turn that reads it is never the last. Found, since the
 * thread stops behind the turn and the other does not need it. */
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int first, last;
void *watch(void *unused)
{
    int seen;
    while (!atomic_load_explicit(&first, memory_order_acquire))
        ;
    while (!atomic_load_explicit(&last, memory_order_relaxed))
        seen = data;
    return 0;
}
void *work(void *unused)
{
    data = 1;
    atomic_store_explicit(&first, 1, memory_order_release);
    data = 2;
    atomic_store_explicit(&last, 1, memory_order_relaxed);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, watch, 0);
    pthread_create(&b, 0, work, 0);
    return 0;
}
#pragma fencepost expect main rc11 violated
#pragma fencepost expect main x86, armv8 holds
