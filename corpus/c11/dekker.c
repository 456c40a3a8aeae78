/* Dekker's algorithm (Dijkstra 1962) as C11, with fences as in Williams's version (2010). ENTER_FENCE and
 * RETRY_FENCE put each thread's announcement before its look at the other's. Behind the loop a fence acquires
 * (ENTERED) what LEAVE releases. */
#include <stdatomic.h>
#include <stdbool.h>

#ifndef ENTER_FENCE
#define ENTER_FENCE memory_order_seq_cst
#endif
#ifndef RETRY_FENCE
#define RETRY_FENCE memory_order_seq_cst
#endif
#ifndef ENTERED
#define ENTERED memory_order_acquire
#endif
#ifndef LEAVE
#define LEAVE memory_order_release
#endif

atomic_bool wants[2];
atomic_int turn;

static void enter(int me)
{
    atomic_store_explicit(&wants[me], true, memory_order_relaxed);
    atomic_thread_fence(ENTER_FENCE);
    while (atomic_load_explicit(&wants[1 - me], memory_order_relaxed)) {
        if (atomic_load_explicit(&turn, memory_order_relaxed) != me) {
            atomic_store_explicit(&wants[me], false, memory_order_relaxed);
            while (atomic_load_explicit(&turn, memory_order_relaxed) != me)
                ;
            atomic_store_explicit(&wants[me], true, memory_order_relaxed);
            atomic_thread_fence(RETRY_FENCE);
        }
    }
    atomic_thread_fence(ENTERED);
}

static void leave(int me)
{
    atomic_store_explicit(&turn, 1 - me, memory_order_relaxed);
    atomic_store_explicit(&wants[me], false, LEAVE);
}

#include "lock-client.h"
#pragma fencepost expect main sc holds
