/* Attacks: the same from the other side. Both ways overwrite, and nobody else writes: what was before is never read. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

static int go, mine, seen;

static void *work(void *unused)
{
    mine = 1;
    if (go)
        mine = 2;
    else
        mine = 3;
    seen = mine;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    go = 1;
    pthread_join(worker, NULL);
    assert(seen != 1 && seen != 0);
    return 0;
}
