/* Attacks: that a number which happens to be an address only costs time. Storing the number is remembered as a step that tells nobody of an object, since
   none starts in its slot; the same step with a real pointer to the middle of a large object is then looked up, and the object stays its thread's own.
   The number is never followed, and the pointer is not made out of nothing: main may see the 1. (The number is where the second engine puts the object.) */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

uintptr_t out;
int real, tick;

static void *work(void *unused)
{
    uintptr_t word;
    int is = fp_any(0, 1);
    real = is;
    if (is) {
        char *object = calloc(1, 9000);
        word = (uintptr_t)object + 5000;
    } else {
        word = 0x217a2798;
    }
    fp_atomic { tick = 1; }
    fp_atomic { tick = 2; }
    out = word;
    fp_atomic { tick = 3; }
    if (real) {
        *(char *)word = 1;
        *(char *)word = 2;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    uintptr_t word;
    int is;
    fp_atomic { word = out; is = real; }
    if (word && is)
        assert(*(char *)word != 1);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
