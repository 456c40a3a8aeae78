/* Attacks liveness: an assignment behind a `break` in a `switch`, inside of a loop. */
#include <assert.h>
#include <pthread.h>
int x, flag;
void *writer(void *arg)
{
    x = 1;
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int seen = 0, late = 0, done;
    do {
        done = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
        switch (x) {
        case 0:
            late = 0;
            break;
        default:
            if (done)
                break;
            late = 1;
            seen = 1;
        }
        assert(!(done && seen && late));
    } while (!done);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
