/* A lazily made, counted object (as Rust's Arc in a lazy cell): whoever comes first puts its own there, the others
 * throw theirs away; each user reads the object and drops it, and the last one frees it.
 *
 * SET releases the object, GET and LOST acquire it, LOST where the swap fails and brings it. DROP releases the
 * user's reads to the last one, whose LAST_FENCE acquires them before it frees. */
#include <stdatomic.h>
#include <stdlib.h>
#include "threads.h"

#ifndef SET
#define SET memory_order_release
#endif
#ifndef GET
#define GET memory_order_acquire
#endif
#ifndef LOST
#define LOST memory_order_acquire
#endif
#ifndef DROP
#define DROP memory_order_release
#endif
#ifndef LAST_FENCE
#define LAST_FENCE memory_order_acquire
#endif

enum { USERS = 2 };

typedef struct arc {
    atomic_int count;
    int value;
} arc_t;

_Atomic(arc_t *) lazy;

static arc_t *get(void)
{
    arc_t *arc = atomic_load_explicit(&lazy, GET);
    if (!arc) {
        arc_t *mine = malloc(sizeof(arc_t));
        atomic_init(&mine->count, USERS);
        mine->value = 7;
        if (atomic_compare_exchange_strong_explicit(&lazy, &arc, mine, SET, LOST))
            return mine;
        free(mine);
    }
    return arc;
}

static void drop(arc_t *arc)
{
    if (atomic_fetch_sub_explicit(&arc->count, 1, DROP) == 1) {
        atomic_thread_fence(LAST_FENCE);
        free(arc);
    }
}

static void *user(void *unused)
{
    arc_t *arc = get();
    int value = arc->value;
    drop(arc);
    assert(value == 7);
    return unused;
}

int main(void)
{
    run(user, user, 0);
    return 0;
}

#pragma fencepost expect main sc holds
