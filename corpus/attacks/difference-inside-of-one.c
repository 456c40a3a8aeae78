/* Attacks: that a remembered step depends on nothing but what it looked at. `end - start` is taken inside of one object first, which is fine, and that
   step is remembered; then `end` is another object, all that is left of it is the difference, and it may seem to be garbage. What makes an address of
   the difference again leads out of the object at `start`, which is noticed in time. Nobody freed anything, so `other` lies elsewhere. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

int tick, apart;

static void *work(void *unused)
{
    int two = fp_any(0, 1);
    apart = two;
    uintptr_t start, end;
    if (two) {
        start = (uintptr_t)malloc(8);
        end = (uintptr_t)malloc(8);
    } else {
        start = (uintptr_t)malloc(9000);
        end = start + 4096;
    }
    fp_atomic { tick = 1; }
    fp_atomic { tick = 2; }
    uintptr_t length = end - start;
    end = 0;
    fp_atomic { tick = 3; }
    fp_atomic { tick = 4; }
    uintptr_t other = (uintptr_t)malloc(8);
    if (apart)
        assert(other == start + length);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
