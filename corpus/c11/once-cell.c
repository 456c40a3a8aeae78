/* A cell that is filled once, by whoever comes first; the others wait (as Rust's OnceLock and C++'s statics do).
 * The value is plain, beside a state: READY releases it, GET acquires it. Who fills it is decided by a relaxed
 * swap. */
#include <stdatomic.h>
#include "threads.h"

#ifndef READY
#define READY memory_order_release
#endif
#ifndef GET
#define GET memory_order_acquire
#endif

enum { EMPTY, BUSY, FULL };

atomic_int state;
int value;

static int get_or_init(int initial)
{
    if (atomic_load_explicit(&state, GET) != FULL) {
        int expected = EMPTY;
        if (atomic_compare_exchange_strong_explicit(&state, &expected, BUSY, memory_order_relaxed,
                                                    memory_order_relaxed)) {
            value = initial;
            atomic_store_explicit(&state, FULL, READY);
        } else {
            while (atomic_load_explicit(&state, GET) != FULL)
                ;
        }
    }
    return value;
}

int got[2];

static void *first(void *unused)
{
    got[0] = get_or_init(1);
    return unused;
}

static void *second(void *unused)
{
    got[1] = get_or_init(2);
    return unused;
}

int main(void)
{
    run(first, second, 0);
    assert(got[0] == got[1] && got[0] != 0);
    return 0;
}

#pragma fencepost expect main sc holds
