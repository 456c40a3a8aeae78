/* Attacks: that a store which finds its object freed has no effect. Its own thread reads it back while it is under way, and lets go
   of the object only because of what it read. */
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso violated
#pragma fencepost expect main relaxed violated

static int *object;
static atomic_int owners = 2;

static void *owner(void *unused)
{
    *object = 1;
    if (*object == 1 && atomic_fetch_sub_explicit(&owners, 1, memory_order_relaxed) == 1)
        free(object);
    return NULL;
}

int main(void)
{
    object = calloc(1, sizeof *object);
    pthread_t thread;
    pthread_create(&thread, NULL, owner, NULL);
    owner(NULL);
    pthread_join(thread, NULL);
    return 0;
}
