/* Attacks: the same from the other side. A cycle that enters a block at one access and leaves it at another is one: both counters of the
   block are seen, or none, by a block that reads them in the other order. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

static int first, second, choose;

static void *work(void *unused)
{
    fp_atomic {
        if (choose)
            first = 2;
        else
            first = 1;
        second = first;
    }
    return unused;
}

int main(void)
{
    pthread_t worker;
    int a, b;
    pthread_create(&worker, NULL, work, NULL);
    choose = 1;
    fp_atomic {
        b = second;
        a = first;
    }
    assert(a == b);
    pthread_join(worker, NULL);
    return 0;
}
