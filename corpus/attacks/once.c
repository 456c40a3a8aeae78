/* Attacks: `pthread_once` runs its function once, and orders what the function did before all that comes behind any call; of two
 * threads, one may come while the other runs it. */
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, number;

static void make(void)
{
    number = 7;
    made++;
}

static void *other(void *unused)
{
    pthread_once(&once, make);
    assert(number == 7 && made == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_once(&once, make);
    assert(number == 7 && made == 1);
    pthread_join(thread, 0);
    assert(made == 1);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
