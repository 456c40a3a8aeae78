/* Attacks silent turns: what a wait found lives in a register of the caller, through a result, and through an out-parameter. */
#include <assert.h>
#include <pthread.h>
int x, flag, left;
static int last(int start)
{
    int w = start;
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        w = x;
    return w;
}
static void told(int *waited)
{
    *waited = 0;
    for (int i = 0; i < 2 && !__atomic_load_n(&flag, __ATOMIC_ACQUIRE); i++)
        *waited = 1;
}
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
    int waited, outer = 5, w;
    told(&waited);
    w = last(outer);
    assert(outer == 5);
    assert(!(waited && w == 1));
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
