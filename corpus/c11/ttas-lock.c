/* The test-and-test-and-set lock (Rudolph and Segall 1984) as C11: wait by loads until the lock looks free, then
 * try to take it. ENTER acquires what LEAVE releases. The loads decide nothing, so they are relaxed. */
#include <stdatomic.h>
#include <stdbool.h>

#ifndef ENTER
#define ENTER memory_order_acquire
#endif
#ifndef LEAVE
#define LEAVE memory_order_release
#endif

atomic_bool locked;

static void enter(int me)
{
    do {
        while (atomic_load_explicit(&locked, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&locked, true, ENTER));
}

static void leave(int me)
{
    atomic_store_explicit(&locked, false, LEAVE);
}

#include "lock-client.h"
#pragma fencepost expect main sc holds
