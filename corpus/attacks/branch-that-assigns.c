/* Attacks liveness: a register that is assigned in only one branch, and read in the next round. */
#include <assert.h>
#include <pthread.h>
int x;
void *writer(void *arg)
{
    x = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int v, got = 0, waited = 0;
    do {
        v = x;
        if (v)
            got = 1;
        else {
            got = 0;
            waited = 1;
        }
        assert(!(got && waited));
    } while (!got);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
