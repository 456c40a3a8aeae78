/* Attacks compare-and-swaps that wait: the turns that fail acquire, the one that succeeds is relaxed and orders nothing. Leaving the former out must not
 * make the latter acquire. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock, data;
void *give(void *unused)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&lock, 1, memory_order_release);
    return 0;
}
void *take(void *unused)
{
    int expected;
    do
        expected = 1;
    while (!atomic_compare_exchange_strong_explicit(&lock, &expected, 2, memory_order_relaxed, memory_order_acquire));
    assert(atomic_load_explicit(&data, memory_order_relaxed));
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, give, 0);
    pthread_create(&b, 0, take, 0);
    return 0;
}
#pragma fencepost expect main rc11, armv8, power violated
#pragma fencepost expect main x86 holds
