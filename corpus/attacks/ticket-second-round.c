/* Attacks waiting on rc11: two threads take turns twice. In the first round the start of the threads orders enough; in the second, the relaxed load of the first
 * thread orders nothing. */
#include <pthread.h>
#include <stdatomic.h>
atomic_int turn;
int data;
void *one(void *unused)
{
    for (int i = 0; i < 2; i++) {
        while (atomic_load_explicit(&turn, memory_order_relaxed) != 0)
            ;
        data++;
        atomic_store_explicit(&turn, 1, memory_order_release);
    }
    return 0;
}
void *two(void *unused)
{
    while (atomic_load_explicit(&turn, memory_order_acquire) != 1)
        ;
    data++;
    atomic_store_explicit(&turn, 0, memory_order_release);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    return 0;
}
#pragma fencepost expect main rc11 violated
#pragma fencepost expect main x86, armv8 holds
