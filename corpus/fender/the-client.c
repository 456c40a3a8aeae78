/* The THE protocol in a closed program: one thread pushes and takes, the other steals, and every task comes out
 * just once. */
#define CLIENT
#include "the.c"
#include <assert.h>
#include <pthread.h>

enum { TASKS = 3 };

int stolen[2];
int done[TASKS + 1];

static void *thief(void *unused)
{
    stolen[0] = steal();
    stolen[1] = steal();
    return unused;
}

static void note(int task)
{
    if (task != EMPTY) {
        assert(1 <= task && task <= TASKS);
        assert(!done[task]);
        done[task] = 1;
    }
}

int main(void)
{
    pthread_t stealing;
    init();
    push(1);
    pthread_create(&stealing, 0, thief, 0);
    push(2);
    note(take());
    note(take());
    push(3);
    pthread_join(stealing, 0);
    note(stolen[0]);
    note(stolen[1]);
    for (int i = 0; i < TASKS; i++)
        note(take());
    for (int i = 1; i <= TASKS; i++)
        assert(done[i]);
    return 0;
}

#ifndef UNFENCED
#pragma fencepost expect main sc, tso, pso, rmo holds
#else
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso, rmo violated
#endif
