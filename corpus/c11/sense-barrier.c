/* The sense-reversing barrier (Hensgen, Finkel and Manber 1988; Mellor-Crummey and Scott 1991) as C11. Who arrives
 * last sets the barrier up again and turns the sense, for which the others wait.
 *
 * ARRIVE releases what a thread did before, and the last one acquires all of it. OPEN releases that, and the count
 * that is set up again, to the others, which acquire it by WAIT. */
#include <stdatomic.h>
#include <stdbool.h>
#include "threads.h"

#ifndef ARRIVE
#define ARRIVE memory_order_acq_rel
#endif
#ifndef OPEN
#define OPEN memory_order_release
#endif
#ifndef WAIT
#define WAIT memory_order_acquire
#endif

enum { THREADS = 2, ROUNDS = 2 };

atomic_int missing = THREADS;
atomic_bool sense;
int at[THREADS][ROUNDS];

static void barrier(bool mine)
{
    if (atomic_fetch_sub_explicit(&missing, 1, ARRIVE) == 1) {
        atomic_store_explicit(&missing, THREADS, memory_order_relaxed);
        atomic_store_explicit(&sense, mine, OPEN);
    } else {
        while (atomic_load_explicit(&sense, WAIT) != mine)
            ;
    }
}

static void work(int me)
{
    bool mine = false;
    for (int round = 0; round < ROUNDS; round++) {
        at[me][round] = 1;
        mine = !mine;
        barrier(mine);
        assert(at[1 - me][round]);
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

int main(void)
{
    run(first, second, 0);
    return 0;
}

#pragma fencepost expect main sc holds
