/* Attacks silent turns: the inner loop is silent, the outer one counts, and its count lives on. */
#include <assert.h>
#include <pthread.h>
int x, turn;
void *writer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 1)
            ;
        __atomic_store_n(&turn, i == 1 ? 2 : 0, __ATOMIC_RELEASE);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int rounds = 0, now;
    do {
        __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
        while ((now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) == 1)
            ;
        rounds++;
    } while (now != 2);
    assert(rounds != 2);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
