/* Peterson's algorithm (1981) as C11, with the turn taken by an exchange (Williams 2008): the second exchange reads
 * from the first, so TURN, which acquires and releases, shows the second thread that the first is there. No order
 * is seq_cst. LEAVE releases what was done inside, LOOK acquires it. The load of the turn acquires, too: a thread
 * may enter because it is given the turn, behind what the other did there before. */
#include <stdatomic.h>
#include <stdbool.h>

#ifndef TURN
#define TURN memory_order_acq_rel
#endif
#ifndef LOOK
#define LOOK memory_order_acquire
#endif
#ifndef GIVEN
#define GIVEN memory_order_acquire
#endif
#ifndef LEAVE
#define LEAVE memory_order_release
#endif

atomic_bool wants[2];
atomic_int turn;

static void enter(int me)
{
    atomic_store_explicit(&wants[me], true, memory_order_relaxed);
    atomic_exchange_explicit(&turn, 1 - me, TURN);
    while (atomic_load_explicit(&wants[1 - me], LOOK) && atomic_load_explicit(&turn, GIVEN) == 1 - me)
        ;
}

static void leave(int me)
{
    atomic_store_explicit(&wants[me], false, LEAVE);
}

#ifndef ROUNDS
#define ROUNDS 2
#endif
#include "lock-client.h"
#pragma fencepost expect main sc holds
