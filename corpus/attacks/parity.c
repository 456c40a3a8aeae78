/* Attacks: the same for when a value is zero. A flag is turned at each of forty branches; both sides of each selection are the flag before. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#pragma fencepost expect main sc violated
#pragma fencepost expect main tso violated
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static int x[40];

static void *work(void *unused)
{
    x[3] = 1;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    bool odd = false;
    for (int i = 0; i < 40; i++)
        if (x[i])
            odd = !odd;
    assert(!odd);
    pthread_join(worker, NULL);
    return 0;
}
