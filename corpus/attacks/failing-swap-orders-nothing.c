/* Attacks: atomic blocks in execution buffers and in store buffers. A compare-and-swap that fails is a read that waits for the buffer on tso, and for
   its own address alone on pso; it stores nothing for others to see. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int x, y, word = 1, r1, r2;

static void *other(void *unused)
{
    x = 1;
    cas(&word, 0, 2);
    r1 = y;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    y = 1;
    cas(&word, 0, 3);
    r2 = x;
    pthread_join(thread, NULL);
    assert(word == 1);
    assert(r1 || r2);
    return 0;
}

#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main pso, rmo, relaxed violated
