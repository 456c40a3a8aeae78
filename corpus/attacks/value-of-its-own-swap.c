/* Attacks silent turns with stores that change nothing: as value-of-its-own-unlock.c, with one store; and on rmo, where the thread that hands
   the value on reads its own store of it before that is visible. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int x = 7, y = 7, z = 7, flag, seen;
void *one(void *arg)
{
    int r = x;
    y = r;
    int s = y;
    z = s;
    seen = r == 0;
    return arg;
}
void *two(void *arg)
{
    int r = z;
    x = r;
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
                x = 0;
        }
        fence("full");
    }
    assert(!seen);
    return 0;
}
#pragma fencepost expect main sc, tso, pso holds
#pragma fencepost expect main rmo, relaxed violated
