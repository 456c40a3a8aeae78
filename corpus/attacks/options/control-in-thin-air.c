/* Attacks silent turns with stores that change nothing, on a model that forbids circles of control dependencies, too. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int x = 7, z = 7, seen;
void *one(void *arg)
{
    int r = x;
    fence("load-load");
    int q = x;
    if (r == 0)
        z = 0;
    seen = r == 0 && q == 5;
    return arg;
}
void *two(void *arg)
{
    int r = z;
    if (r == 0)
        x = 0;
    return arg;
}
void *three(void *arg)
{
    x = 5;
    return arg;
}
int main(void)
{
    pthread_t t, u, v;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    pthread_create(&v, 0, three, 0);
    while (1) {
        int old;
        fp_atomic
        {
            old = x;
            x = 0;
        }
        if (old == 5)
            break;
        assume(old == 0);
    }
    assert(!seen);
    return 0;
}
