/* Attacks "nothing was checked": a loop that starts as many threads as was chosen. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int x;
void *add(void *arg)
{
    __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    int n = fp_any(0, 1, 2);
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], 0);
    assert(x == n);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
