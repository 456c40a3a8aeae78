/* Against: "malloc may return any object of the same size" (--reuse, and without it). The first object is
 * never freed, so the second one lies elsewhere. */
#pragma fencepost expect main sc holds
#pragma fencepost expect main relaxed holds
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *kept;

void *work(void *unused)
{
    int *mine = malloc(4), *next;
    *mine = 2;
    free(mine);
    next = malloc(4);
    *next = 3;
    assert(next != kept);
    free(next);
    return unused;
}

int main(void)
{
    pthread_t thread;
    kept = malloc(4);
    *kept = 1;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(*kept == 1);
    return 0;
}
