/* Attacks: that a thread which goes no further leaves behind what it did. Where the bound cuts the loop, or where it waits, the
   block has not happened; the other thread must not see half of it. */
#include <pthread.h>
#include <assert.h>
#include <fencepost.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

static int busy, n, sum, gate;

static void *work(void *unused)
{
    fp_atomic {
        busy = 1;
        for (int i = 0; i < n; i++)
            sum += i;
        busy = 0;
    }
    fp_atomic {
        busy = 1;
        fp_assume(gate);
        busy = 0;
    }
    return NULL;
}

int main(void)
{
    n = 3;
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    assert(busy == 0);
    gate = 1;
    pthread_join(worker, NULL);
    return 0;
}
