/* Attacks: fixed edges of events that may not be executed. The fence orders the two stores only where `strict` was read as 1; an edge that
   stayed when the fence is not executed would order them always. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static int strict, data, flag, seen_flag, seen_data, was;

static void *work(void *unused)
{
    int s = strict;
    data = 1;
    if (s)
        fence("store-store");
    flag = 1;
    was = s;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    seen_flag = flag;
    fence("load-load");
    seen_data = data;
    strict = 1;
    pthread_join(worker, NULL);
    assert(!(seen_flag == 1 && seen_data == 0 && was == 0));
    return 0;
}
