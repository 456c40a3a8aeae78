/* Attacks the opposite: loops that only wait, and look as if they carried something from round to round. */
#include <assert.h>
#include <pthread.h>
int x, flag, go;
void *writer(void *arg)
{
    x = 1;
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int v = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
    while (!v)
        v = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
    int r = 0;
    while (r == 0)
        r = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
    int w = 0, u;
    for (u = __atomic_load_n(&flag, __ATOMIC_ACQUIRE); !u; u = __atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        w = x;
    assert(v == 1 && r == 1 && x == 1);
    assert(w == 0 || w == 1);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
