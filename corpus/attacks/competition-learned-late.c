/* Attacks: cells without competition. That main writes `config` comes out only behind a value that depends on what the other thread read of it
   without scheduling points; the exploration must begin anew and find the two loads apart. */
#include <assert.h>
#include <pthread.h>

int config, seen;

static void *other(void *unused)
{
    int first = config;
    seen = first + 1;
    int second = config;
    assert(first == second);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    if (seen == 1)
        config = 1;
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
