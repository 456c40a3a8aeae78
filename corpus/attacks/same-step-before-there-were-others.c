/* Attacks: remembered steps and the footprint. `x = 1` is run first while there is no other thread, so nobody notes that main writes x; since what
   comes behind may have to wait, the step ends early and is remembered. With another thread there, the same step is looked up, and again nobody
   notes it: x seems to be read by one who has no competition. main may store 1 between the two loads. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int x, started, back, tick, end;

static void *other(void *unused)
{
    x = 0;
    fp_atomic { back = 1; }
    int first = x;
    int second = x;
    assert(first == second);
    fp_atomic { assume(end); }
    return unused;
}

int main(void)
{
    pthread_t thread;
    fp_atomic { tick = 0; }
    for (;;) {
        fp_atomic { tick = 0; }
        x = 1;
        fp_atomic { tick = 0; }
        if (started)
            break;
        assume(fp_any(0, 1));
        started = 1;
        pthread_create(&thread, NULL, other, NULL);
        fp_atomic { assume(back); }
    }
    fp_atomic { end = 1; }
    return 0;
}

#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
