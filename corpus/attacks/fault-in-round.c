/* Attacks silent turns: the second turn is the one that fails. */
#include <assert.h>
#include <pthread.h>
int x, flag;
void *writer(void *arg)
{
    x = 1;
    x = 0;
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int before = 0;
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
        int now = x;
        assert(!(before == 1 && now == 0));
        before = now;
    }
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
