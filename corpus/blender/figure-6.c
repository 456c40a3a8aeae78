/* Figure 6 of the paper: no fence is needed between two stores to one variable. The paper's coarsest abstraction
 * of store buffers forgets their order and asks for one. On rmo, and on relaxed, it is the loads that need one. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int x;

static void *store_twice(void *unused)
{
    x = 1;
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t storing;
    int r1, r2;
    pthread_create(&storing, 0, store_twice, 0);
    r1 = x;
    r2 = x;
    pthread_join(storing, 0);
    assert(r1 <= r2);
    return 0;
}

#pragma fencepost expect main sc, tso, pso holds
#pragma fencepost expect main rmo, relaxed violated
#pragma fencepost expect verify sc, tso, pso holds
