/* Attacks "nothing was checked": no execution starts every thread that stands in the text. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int x;
void *one(void *arg)
{
    x = 1;
    return arg;
}
void *two(void *arg)
{
    x = 2;
    return arg;
}
int main(void)
{
    pthread_t t;
    if (fp_any(0, 1))
        pthread_create(&t, 0, one, 0);
    else
        pthread_create(&t, 0, two, 0);
    pthread_join(t, 0);
    assert(x == 1 || x == 2);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
