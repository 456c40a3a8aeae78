/* Attacks silent turns: what a waiting loop reads last lives on behind it. */
#include <assert.h>
#include <pthread.h>
int x, flag;
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
    int w = 0;
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        w = x;
    assert(w == 0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
