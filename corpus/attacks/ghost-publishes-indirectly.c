/* Attacks: memory that one thread alone can reach, on tso and pso. What a ghost tells of is not the object with the store
 * in the buffer but another that leads to it. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdlib.h>

struct pair {
    int value;
    struct pair *next;
};

struct pair *ghost;

static void *reader(void *unused)
{
    struct pair *p = NULL;
    fp_ghost { p = ghost; }
    if (p) {
        struct pair *next = p->next;
        if (next)
            assert(next->value == 1);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    struct pair *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
    first->next = second;
    fence("store-load");
    fp_atomic { }
    second->value = 1;
    fp_ghost { ghost = first; }
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
