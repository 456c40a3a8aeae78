/* The ticket lock (Reed and Kanodia 1979; Mellor-Crummey and Scott 1991) as C11. LEAVE releases what was done under
 * the lock, WAIT acquires it. Drawing a ticket is relaxed: it only has to be atomic. */
#include <stdatomic.h>

#ifndef WAIT
#define WAIT memory_order_acquire
#endif
#ifndef LEAVE
#define LEAVE memory_order_release
#endif

atomic_uint next_ticket, serving;

static void enter(int me)
{
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, WAIT) != mine)
        ;
}

static void leave(int me)
{
    unsigned mine = atomic_load_explicit(&serving, memory_order_relaxed);
    atomic_store_explicit(&serving, mine + 1, LEAVE);
}

#include "lock-client.h"
#pragma fencepost expect main sc holds
