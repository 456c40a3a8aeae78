/* Attacks: as undefined-flipped.c, with `~`. That the complement of an undefined word is used is a fault on every model, since nothing
   orders the load of `copied` behind a store of anything else. */
#include <pthread.h>
#include <stdlib.h>
#pragma fencepost expect main sc violated
#pragma fencepost expect main tso violated
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static int *fresh, copied, sink;

static void *work(void *unused)
{
    copied = ~*fresh;
    return unused;
}

int main(void)
{
    pthread_t worker;
    fresh = malloc(sizeof *fresh);
    pthread_create(&worker, NULL, work, NULL);
    if (copied == 7)
        sink = 1;
    pthread_join(worker, NULL);
    return 0;
}
