/* Attacks: that a load of freed memory has no value to go on with. The load decides a branch that changes nothing; relaxed does not
   keep the decrement behind it, so it can find the object freed. On rmo the decrement waits for the branch. */
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed violated

static int *object;
static int other[2];
static atomic_int owners = 2;

static void *owner(void *number)
{
    if (*object != 7)
        other[(long)number] = 1;
    if (atomic_fetch_sub_explicit(&owners, 1, memory_order_relaxed) == 1)
        free(object);
    return NULL;
}

int main(void)
{
    object = malloc(sizeof *object);
    *object = 7;
    pthread_t thread;
    pthread_create(&thread, NULL, owner, (void *)1);
    owner((void *)0);
    pthread_join(thread, NULL);
    return 0;
}
