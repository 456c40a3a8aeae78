/* Attacks programs that wait for ever: what goes wrong before counts. */
#include <assert.h>
#include <pthread.h>
int x, never;
void *wait(void *arg)
{
    x = 1;
    while (!never)
        ;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, wait, 0);
    assert(x == 0);
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
