/* Hazard pointers (Michael 2004) as C11: a reader announces the object that it is going to use, and looks again
 * whether it is still the current one; a writer that has replaced an object frees it if nobody announces it, else
 * leaves it.
 *
 * PROTECT_FENCE and SCAN_FENCE are the two sides of a Dekker: announce, then look at the object; replace, then look
 * at the announcement. REPLACE releases the object; the reader's fence acquires it. CLEAR releases the reader's
 * accesses to the writer that finds the announcement gone, and SCAN acquires them before it frees.
 *
 * The second look acquires as well: that matters only if the first one saw an object of the same address which was
 * freed since, and no memory comes back here. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include "threads.h"

#ifndef PROTECT_FENCE
#define PROTECT_FENCE memory_order_seq_cst
#endif
#ifndef SCAN_FENCE
#define SCAN_FENCE memory_order_seq_cst
#endif
#ifndef REPLACE
#define REPLACE memory_order_release
#endif
#ifndef CLEAR
#define CLEAR memory_order_release
#endif
#ifndef SCAN
#define SCAN memory_order_acquire
#endif

typedef struct object {
    int value;
} object_t;

_Atomic(object_t *) current, hazard;

static object_t *new_object(int value)
{
    object_t *object = malloc(sizeof(object_t));
    object->value = value;
    return object;
}

static object_t *protect(void)
{
    object_t *object = atomic_load_explicit(&current, memory_order_relaxed);
    while (true) {
        object_t *again;
        atomic_store_explicit(&hazard, object, memory_order_relaxed);
        atomic_thread_fence(PROTECT_FENCE);
        again = atomic_load_explicit(&current, memory_order_acquire);
        if (again == object)
            return object;
        object = again;
    }
}

static void *reader(void *unused)
{
    object_t *object = protect();
    int value = object->value;
    atomic_store_explicit(&hazard, 0, CLEAR);
    assert(value == 1 || value == 2);
    return unused;
}

static void *writer(void *unused)
{
    object_t *old = atomic_exchange_explicit(&current, new_object(2), REPLACE);
    atomic_thread_fence(SCAN_FENCE);
    if (atomic_load_explicit(&hazard, SCAN) != old)
        free(old);
    return unused;
}

int main(void)
{
    atomic_init(&current, new_object(1));
    run(reader, writer, 0);
    return 0;
}

#pragma fencepost expect main sc holds
