/* Attacks: memory that one thread alone can reach, on tso and pso. A ghost tells the others of an object while the store
 * to it is still in the buffer: they find it without. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdlib.h>

int *ghost;

static void *reader(void *unused)
{
    int *p = NULL;
    fp_ghost { p = ghost; }
    if (p)
        assert(*p == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    int *p = calloc(1, sizeof *p);
    *p = 1;
    fp_ghost { ghost = p; }
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
