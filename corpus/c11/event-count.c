/* An event count (Reed and Kanodia 1979; the form of Vyukov's, 2008): waiters announce themselves, look again
 * whether there is something to wait for, and sleep as long as the epoch is the one they saw; a notifier changes
 * the epoch if somebody is announced.
 *
 * WAIT_FENCE and NOTIFY_FENCE are the two sides of a Dekker: announce, then look; provide, then look for waiters.
 * They order the epoch as well: who reads a new one sees what was provided before it. All else is relaxed.
 *
 * Sleep is not modelled: who would go to sleep remembers the epoch, which must have changed in the end, or nobody
 * would wake it up. */
#include <stdatomic.h>
#include <stdbool.h>
#include "threads.h"

#ifndef WAIT_FENCE
#define WAIT_FENCE memory_order_seq_cst
#endif
#ifndef NOTIFY_FENCE
#define NOTIFY_FENCE memory_order_seq_cst
#endif

atomic_int waiters, epoch, provided;
bool sleeps;
int slept_at;

static void *waiter(void *unused)
{
    atomic_fetch_add_explicit(&waiters, 1, memory_order_relaxed);
    int key = atomic_load_explicit(&epoch, memory_order_relaxed);
    atomic_thread_fence(WAIT_FENCE);
    if (!atomic_load_explicit(&provided, memory_order_relaxed)) {
        sleeps = true;
        slept_at = key;
    }
    return unused;
}

static void *notifier(void *unused)
{
    atomic_store_explicit(&provided, 1, memory_order_relaxed);
    atomic_thread_fence(NOTIFY_FENCE);
    if (atomic_load_explicit(&waiters, memory_order_relaxed))
        atomic_fetch_add_explicit(&epoch, 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    run(waiter, notifier, 0);
    assert(!sleeps || epoch != slept_at);
    return 0;
}

#pragma fencepost expect main sc holds
