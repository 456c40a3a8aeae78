/* Attacks: accesses to local variables without scheduling points. On pso the fence keeps the store to data before the load of a variable that no one
   else can reach, and loads stay before stores: the flag is not seen first. On rmo and relaxed nothing keeps that load before the flag. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int data, flag;

static void fill(int *out)
{
    *out = 1;
}

static void *send(void *unused)
{
    int local;
    fill(&local);
    data = 1;
    fence("store-load");
    int one = local;
    flag = 1;
    return one ? unused : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send, NULL);
    int ready = flag;
    fence("load-load");
    if (ready)
        assert(data == 1);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso, pso holds
#pragma fencepost expect main rmo, relaxed violated
