/* Attacks "nothing was checked": `main` ends by `exit`, with a thread still waiting. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int x, never;
void *wait(void *arg)
{
    while (!never)
        ;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, wait, 0);
    x = 1;
    assert(x == 1);
    exit(0);
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
