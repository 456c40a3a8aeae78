/* Attacks: that a value which is read behind a loop only under a condition needs not be the same in silent turns. Here the
   condition is about what earlier turns did: `first` is 0 after any turn, so what the turn read is looked at. */
#include <pthread.h>
#include <assert.h>
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated

static int x;
static _Atomic int flag;

static void *wait(void *unused)
{
    int first = 1, seen = 0;
again:
    if (!flag) {
        seen = x;
        first = 0;
        goto again;
    }
    if (!first)
        assert(seen == 0);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    x = 1;
    flag = 1;
    pthread_join(thread, 0);
}
