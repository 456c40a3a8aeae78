/* Attacks: the same from the other side. `strict` is set before anything is read, and where the fence is executed, the stores stay in order. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

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
    strict = 1;
    seen_flag = flag;
    fence("load-load");
    seen_data = data;
    pthread_join(worker, NULL);
    assert(!(seen_flag == 1 && seen_data == 0 && was == 1));
    return 0;
}
