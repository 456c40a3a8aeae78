/* Attacks blocks that synchronise: relaxed accesses of 16 bytes may be reordered as others, and both loads may read 0. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
unsigned __int128 x, y;
int first, second;
void *one(void *unused)
{
    __atomic_store_n(&x, (unsigned __int128)1, __ATOMIC_RELAXED);
    first = __atomic_load_n(&y, __ATOMIC_RELAXED) == 1;
    return 0;
}
void *two(void *unused)
{
    __atomic_store_n(&y, (unsigned __int128)1, __ATOMIC_RELAXED);
    second = __atomic_load_n(&x, __ATOMIC_RELAXED) == 1;
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(first || second);
    return 0;
}
#pragma fencepost expect main rc11, armv8, riscv, power violated
