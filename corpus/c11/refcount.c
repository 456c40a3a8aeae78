/* Reference counting (Collins 1960) with the orders of Boost's shared_ptr (Dimov 2008): each owner writes to the
 * object and drops it; the last one looks at all of it, as destructors do, and frees it.
 *
 * DROP releases what an owner did to the last one, whose LAST_FENCE acquires it. The decrements are one release
 * sequence. */
#include <stdatomic.h>
#include <stdlib.h>
#include "threads.h"

#ifndef DROP
#define DROP memory_order_release
#endif
#ifndef LAST_FENCE
#define LAST_FENCE memory_order_acquire
#endif

typedef struct object {
    atomic_int count;
    int used[3];
} object_t;

object_t *shared;

static void use_and_drop(object_t *object, int me)
{
    object->used[me] = 1;
    if (atomic_fetch_sub_explicit(&object->count, 1, DROP) == 1) {
        atomic_thread_fence(LAST_FENCE);
        assert(object->used[0] + object->used[1] + object->used[2] == 3);
        free(object);
    }
}

static void *first(void *unused)
{
    use_and_drop(shared, 0);
    return unused;
}

static void *second(void *unused)
{
    use_and_drop(shared, 1);
    return unused;
}

static void *third(void *unused)
{
    use_and_drop(shared, 2);
    return unused;
}

int main(void)
{
    shared = calloc(1, sizeof(object_t));
    atomic_init(&shared->count, 3);
    run(first, second, third);
    return 0;
}

#pragma fencepost expect main sc holds
