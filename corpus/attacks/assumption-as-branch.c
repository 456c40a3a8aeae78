/* Attacks: what is assumed orders like the loop that waits for it. Each thread stores only behind a condition on what it
 * loaded; a machine that keeps control dependencies cannot let both loads see the other's store. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed violated

int x, y, seen_x, seen_y;

static void *first(void *argument)
{
    int seen = x;
    fp_assume(seen < 2);
    y = 1;
    seen_x = seen;
    return argument;
}

static void *second(void *argument)
{
    int seen = y;
    while (seen >= 2)
        ;
    x = 1;
    seen_y = seen;
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(seen_x == 1 && seen_y == 1));
    return 0;
}
