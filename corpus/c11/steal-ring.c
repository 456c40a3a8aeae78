/* A bounded work-stealing queue, first in, first out: a ring as in the schedulers of Go (Vyukov 2012) and Tokio
 * (Lerche 2019). Only the owner pushes; the owner and thieves take the oldest task by a swap of head.
 *
 * PUSH releases a task, TAIL acquires it. HEAD must be read before the tail and see what those who moved it saw
 * (TAKE and STEAL release), else the tail may be behind it, and the ring looks filled. STEAL also releases the
 * cell, and FREED acquires it before it is written again: rc11 and the machines would do without that acquire,
 * since none of them lets a store go ahead of the branch in front of it, but C11 and its compilers need not. Cells
 * are atomic: a thief may read one that is being written, but its swap fails then. */
#include <stdatomic.h>
#include <stdbool.h>

#ifndef PUSH
#define PUSH memory_order_release
#endif
#ifndef FREED
#define FREED memory_order_acquire
#endif
#ifndef HEAD
#define HEAD memory_order_acquire
#endif
#ifndef TAIL
#define TAIL memory_order_acquire
#endif
#ifndef TAKE
#define TAKE memory_order_release
#endif
#ifndef STEAL
#define STEAL memory_order_release
#endif

enum { NOTHING = -1, SIZE = 1 };

atomic_uint head, tail;
atomic_int cells[SIZE];

static bool push(int task)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
    if (t - atomic_load_explicit(&head, FREED) == SIZE)
        return false;
    atomic_store_explicit(&cells[t % SIZE], task, memory_order_relaxed);
    atomic_store_explicit(&tail, t + 1, PUSH);
    return true;
}

static int take(void)
{
    while (true) {
        unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
        unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
        if (h == t)
            return NOTHING;
        int task = atomic_load_explicit(&cells[h % SIZE], memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&head, &h, h + 1, TAKE, memory_order_relaxed))
            return task;
    }
}

static int steal(void)
{
    while (true) {
        unsigned h = atomic_load_explicit(&head, HEAD);
        unsigned t = atomic_load_explicit(&tail, TAIL);
        if (h == t)
            return NOTHING;
        int task = atomic_load_explicit(&cells[h % SIZE], memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&head, &h, h + 1, STEAL, memory_order_relaxed))
            return task;
    }
}

#pragma fencepost op p = push(any(1, 2))
#pragma fencepost op t = take()
#pragma fencepost op s = steal()
#pragma fencepost test PS   = ( p | s )
#pragma fencepost test PTS  = ( p t | s )
#pragma fencepost test TSS  = p ( t | s | s )
#pragma fencepost test PSS  = ( p | s | s )
#pragma fencepost test PPS  = p ( p | s )
#pragma fencepost test Once = p ( t p | s' s' )
#pragma fencepost expect PS, PTS, TSS, PSS, PPS, Once sc holds
