/* Attacks: that an access to freed memory ends its thread. As late-load-of-freed.c, with a store that comes late: it suffices
   that the store and the decrement behind it change places, which pso allows, too. */
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
#include <fencepost.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

struct object {
    int done[2];
};

static struct object *object;
static atomic_int owners = 2;

static void *owner(void *number)
{
    object->done[(long)number] = 1;
    if (atomic_fetch_sub_explicit(&owners, 1, memory_order_relaxed) == 1)
        free(object);
    return NULL;
}

int main(void)
{
    object = malloc(sizeof *object);
    pthread_t other;
    pthread_create(&other, NULL, owner, (void *)1);
    owner((void *)0);
    pthread_join(other, NULL);
    return 0;
}
