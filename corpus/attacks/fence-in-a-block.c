/* Attacks: that a step ends outside of atomic blocks. A fence in a block waits for stores in front of the block, which abstract store buffers keep; the block
   waits as a whole, and nobody sees half of it. `verify` proves this on tso and pso. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds

int x, y, z;

static void *work(void *unused)
{
    z = 1;
    fp_atomic {
        fence("full");
        x = 1;
        y = 1;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int a, b;
    fp_atomic {
        a = x;
        b = y;
    }
    assert(a == b && z < 2);
    return 0;
}
