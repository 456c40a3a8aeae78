/* Attacks what is said of a counterexample: `y` is released, so on armv8 (STLR) and riscv (fence rw,w) no memory order has it before `x`. Only the loads were
 * reordered, and only they may be named. The verdict is right. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
void *writer(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_release);
    return 0;
}
void *reader(void *unused)
{
    if (atomic_load_explicit(&y, memory_order_relaxed))
        assert(atomic_load_explicit(&x, memory_order_relaxed));
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    return 0;
}
#pragma fencepost expect main rc11, armv8, riscv, power violated
#pragma fencepost expect main x86 holds
