/* Attacks: that a remembered step depends on nothing but what it looked at. Where `block` is large, `inside` still leads to it, and the step that
   computes it is remembered; where it is small, `inside` leads to nothing, which only running the step would notice. If it is looked up instead, the
   block is dropped, its address used again, and the wrong assertion holds. Nobody freed the block, so `other` lies elsewhere in every execution. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

int tick, small;

static void *work(void *unused)
{
    int little = fp_any(0, 1);
    small = little;
    char *block;
    if (little)
        block = malloc(8);
    else
        block = malloc(9000);
    fp_atomic { tick = 1; }
    fp_atomic { tick = 2; }
    uintptr_t inside = (uintptr_t)block + 5000;
    block = NULL;
    fp_atomic { tick = 3; }
    fp_atomic { tick = 4; }
    char *other = malloc(8);
    if (small)
        assert((uintptr_t)other == inside - 5000);
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
