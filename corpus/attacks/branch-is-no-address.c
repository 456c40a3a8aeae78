/* Attacks: the same from the other side. Here the address is a constant either way, chosen by a branch: on rmo the load may be done before the
   branch is decided. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static int late, dummy = 1, flag;

static void *work(void *unused)
{
    late = 1;
    fence("store-store");
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    int *q = flag ? &late : &dummy;
    assert(*q == 1);
    pthread_join(worker, NULL);
    return 0;
}
