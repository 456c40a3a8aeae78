/* Attacks silent turns that store and store back: the turn finds a 0 that comes from the 0 that it stores back. That one is a constant, and
   control dependencies do not count, so this is no value out of thin air on relaxed. If the turn is left out, its reader reads from what the turn
   found, and then it is. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int x = 7, y = 7, flag, seen;
void *one(void *arg)
{
    int r = x;
    y = r;
    seen = r == 0;
    return arg;
}
void *two(void *arg)
{
    int r = y;
    x = r;
    fence("full");
    flag = 1;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    while (1) {
        int now = flag, old;
        fence("full");
        if (now)
            break;
        fp_atomic
        {
            old = x;
            if (old == 0)
                x = 1;
        }
        fence("full");
        if (old == 0)
            x = 0;
        fence("full");
    }
    assert(!seen);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo holds
#pragma fencepost expect main relaxed violated
