/* Attacks: that a load may read every store whose value its range admits. An undefined bit has no value, but its literal has one: of
   `undefined ^ 1` it is 1 in the circuit and 0 in the range, so that the load of `copied` could not read the store at all, and with it went
   every execution in which it does. Nothing computes with the undefined word here; the assertion is what is behind the load. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#pragma fencepost expect main sc violated
#pragma fencepost expect main tso violated
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static int *fresh, copied, copy, done;

static void *work(void *unused)
{
    copied = *fresh ^ 1;
    done = 1;
    return unused;
}

int main(void)
{
    pthread_t worker;
    fresh = malloc(sizeof *fresh);
    pthread_create(&worker, NULL, work, NULL);
    if (done) {
        copy = copied;
        assert(0);
    }
    pthread_join(worker, NULL);
    return 0;
}
