/* Attacks: bit-fields next to each other are one memory location. Storing to one reads and writes the other, so that an update
 * of that one by another thread can get lost, on every model. */
#include <assert.h>
#include <pthread.h>

static struct { unsigned a : 4, c : 4; } s;

static void *other(void *unused)
{
    s.c = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    s.a = 5;
    pthread_join(thread, 0);
    assert(s.c == 1);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
