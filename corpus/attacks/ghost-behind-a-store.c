/* Attacks: memory that one thread alone can reach, on tso. An ordinary store has published the box already when a ghost tells of it, so nothing is
   left for the ghost to publish; but the store is still in the buffer, and so is the one to the box, which the ghost overtakes. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdlib.h>

struct box {
    int value;
};

struct box *published, *ghost;

static void *send(void *unused)
{
    struct box *box = calloc(1, sizeof *box);
    box->value = 1;
    published = box;
    fp_ghost { ghost = box; }
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct box *box;
    pthread_create(&thread, NULL, send, NULL);
    fp_ghost { box = ghost; }
    if (box)
        assert(box->value == 1);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso violated
