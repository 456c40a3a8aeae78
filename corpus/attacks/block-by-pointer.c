/* Attacks how read-modify-writes are told from transactions: by the register of the address. Through a pointer, the same relaxed increment synchronises on
 * rc11; on a global it does not. It must not: `data` races. */
#include <fencepost.h>
#include <pthread.h>
#include <stdatomic.h>
int count, data;
int increment(int *counter)
{
    int old;
    fp_atomic {
        old = __atomic_load_n(counter, __ATOMIC_RELAXED);
        __atomic_store_n(counter, old + 1, __ATOMIC_RELAXED);
    }
    return old;
}
void *one(void *unused)
{
    data = 1;
    increment(&count);
    return 0;
}
void *two(void *unused)
{
    if (increment(&count))
        data = 2;
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
