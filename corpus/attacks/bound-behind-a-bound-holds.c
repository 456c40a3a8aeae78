/* Attacks: the same from the other side: 6 is the most there is, and 2 to 5 never are. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

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
    assert(more == 1 || more == 6);
    return 0;
}
