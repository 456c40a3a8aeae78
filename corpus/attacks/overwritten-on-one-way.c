/* Attacks: hiding of stores that the same thread overwrites, and resolving loads of what only one thread writes. `mine` is overwritten on
   one way only, at an address that is known only when it is read; on the other the load still reads what was before. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main sc violated
#pragma fencepost expect main tso violated
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static int go, mine[2], shared[2], seen, kept;

static void *work(void *unused)
{
    int way = go;
    mine[0] = 1;
    shared[0] = 1;
    mine[way] = 2;
    if (way)
        shared[0] = 2;
    seen = shared[0];
    kept = mine[0];
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    go = 1;
    shared[1] = 3;
    pthread_join(worker, NULL);
    assert(!(kept == 1 && seen == 2));
    return 0;
}
