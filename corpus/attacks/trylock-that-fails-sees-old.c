/* As trylock_that_fails.c, without a race: what was stored before the lock need not be seen behind the failure. armv8, riscv and power show it; rc11 must allow
 * whatever they do. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int data;
void *taker(void *unused)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    pthread_mutex_lock(&mutex);
    return 0;
}
void *trier(void *unused)
{
    if (pthread_mutex_trylock(&mutex))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, taker, 0);
    pthread_create(&b, 0, trier, 0);
    return 0;
}
#pragma fencepost expect main rc11, armv8, riscv, power violated
#pragma fencepost expect main x86 holds
