/* Attacks: that it is quick to see whether a value may be undefined. Each step uses the word before it twice; who follows both uses anew at every
   step takes twice as long for each, without asking for the time. Each step is one to one and keeps 0 apart from all else. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

static int x;

static void *work(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    unsigned word = x + 1u;
    for (int i = 0; i < 20; i++) {
        word ^= word << 13;
        word ^= word >> 17;
        word ^= word << 5;
    }
    assert(word != 0);
    pthread_join(worker, NULL);
    return 0;
}
