/* Attacks: that accesses which find their object freed are kept apart from those that come before. The decrement releases what
   its thread did to the object and acquires what the others did: nobody comes late. The faulty twin is late-load-of-freed.c. */
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

struct object {
    atomic_int owners;
    int data;
};

static struct object *object;
static int seen[2];

static void *owner(void *number)
{
    seen[(long)number] = object->data;
    if (atomic_fetch_sub_explicit(&object->owners, 1, memory_order_acq_rel) == 1)
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
