/* Attacks: atomic blocks as single nodes. The block's store is executed only if its compare-and-swap succeeds, which it never does: the block is a
   load, and drains no buffer on pso, so `data` may come after `flag` on pso, rmo and relaxed. Edges of a store that is not executed
   would order the two through the block. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static int data, other = 1, flag, seen_flag, seen_data, swapped;

static void *work(void *unused)
{
    data = 1;
    swapped = cas(&other, 0, 2);
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    seen_flag = flag;
    fence("load-load");
    seen_data = data;
    pthread_join(worker, NULL);
    assert(!(seen_flag == 1 && seen_data == 0 && !swapped));
    return 0;
}
