/* Attacks silent turns that leave memory as it was, where a read-modify-write is two accesses: the load of the next turn's exchange may read what the exchange
 * before it stored, before others see that (armv8 orders the two only if the load acquires). Left out, that load would have to read from `giver`, whose exchange
 * depends on it. The first turn reads 1 from the giver, the second 1 from the first turn; so the giver can be the first to store to `lock`. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock, stop, told;
void *taker(void *unused)
{
    int seen;
    do
        seen = atomic_exchange_explicit(&lock, 1, memory_order_relaxed);
    while (!atomic_load_explicit(&stop, memory_order_relaxed));
    atomic_store_explicit(&told, seen, memory_order_relaxed);
    return 0;
}
void *giver(void *unused)
{
    if (atomic_load_explicit(&told, memory_order_relaxed))
        assert(atomic_exchange_explicit(&lock, 1, memory_order_relaxed));
    return 0;
}
void *stopper(void *unused)
{
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    return 0;
}
int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, taker, 0);
    pthread_create(&b, 0, giver, 0);
    pthread_create(&c, 0, stopper, 0);
    return 0;
}
#pragma fencepost expect main armv8 violated
#pragma fencepost expect main x86 holds
