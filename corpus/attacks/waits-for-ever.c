/* Attacks "nothing was checked": every execution waits for ever, and before that nothing goes wrong, or something does. */
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
    pthread_join(t, 0);
    assert(0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
