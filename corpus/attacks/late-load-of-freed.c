/* Attacks: that an access to freed memory ends its thread. Reference counting: the last owner frees the object. On models on
   which a load may come after a store behind it, the load of a thread that has already let go can come after the other's free,
   which happens only because of the decrement behind that load. Release and acquire forbid it. */
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

struct object {
    atomic_int owners;
    int data;
};

static struct object *object;
static int seen[2];

static void *owner(void *number)
{
    seen[(long)number] = object->data;
    if (atomic_fetch_sub_explicit(&object->owners, 1, memory_order_relaxed) == 1)
        free(object);
    return NULL;
}

int main(void)
{
    object = malloc(sizeof *object);
    object->owners = 2;
    object->data = 7;
    pthread_t other;
    pthread_create(&other, NULL, owner, (void *)1);
    owner((void *)0);
    pthread_join(other, NULL);
    return 0;
}
