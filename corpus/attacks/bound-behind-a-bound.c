/* Attacks: bounds that grow one after the other. The second loop repeats three times only if the first did so, which it does only if the other
   thread was at it; the assertion behind both fails at bounds that no single round of asking finds. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main sc violated
#pragma fencepost expect main tso violated
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static int limit = 1, turns, more;

static void *work(void *unused)
{
    limit = 3;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    int n = limit;
    for (int i = 0; i < n; i++)
        turns++;
    for (int i = 0; i < turns; i++)
        for (int k = i; k < turns; k++)
            more++;
    pthread_join(worker, NULL);
    assert(more != 6);
    return 0;
}
