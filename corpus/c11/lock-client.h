/* A client for locks: THREADS threads add one to a plain variable, ROUNDS times each, under the lock. The including
 * file defines enter(me) and leave(me) for threads 0, 1, …; a lost addition is a failed exclusion. */
#include "threads.h"

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

int counter;

static void work(int me)
{
    for (int round = 0; round < ROUNDS; round++) {
        enter(me);
        counter++;
        leave(me);
    }
}

static void *first(void *unused)
{
    work(0);
    return unused;
}

static void *second(void *unused)
{
    work(1);
    return unused;
}

#if THREADS == 3
static void *third(void *unused)
{
    work(2);
    return unused;
}
#else
#define third 0
#endif

int main(void)
{
    run(first, second, third);
    assert(counter == THREADS * ROUNDS);
    return 0;
}
