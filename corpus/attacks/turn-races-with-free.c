/* Attacks silent turns on rc11: a turn reads `*box`, and the other thread frees it once the loop is left. `gone` is relaxed: the load and the `free` are not
 * ordered. Not recognised by asking whether stores overtake loads, which rc11 forbids: what is not ordered by happens-before races all the same. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *box;
atomic_int stop, gone;
void *look(void *unused)
{
    int seen;
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        seen = *box;
    atomic_store_explicit(&gone, 1, memory_order_relaxed);
    return 0;
}
void *end(void *unused)
{
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    if (atomic_load_explicit(&gone, memory_order_relaxed))
        free(box);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    box = malloc(sizeof *box);
    *box = 0;
    pthread_create(&a, 0, look, 0);
    pthread_create(&b, 0, end, 0);
    return 0;
}
#pragma fencepost expect main rc11, armv8, power violated
#pragma fencepost expect main x86 holds
