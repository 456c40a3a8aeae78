/* Double-checked initialisation (Schmidt and Harrison 1996; Meyers and Alexandrescu 2004 on what is wrong with it
 * without orders) as C11. PUBLISH releases the object to those that do not lock, CHECK acquires it. The second
 * check is under the lock, and so relaxed. */
#include <stdatomic.h>
#include <stdlib.h>
#include "threads.h"

#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif
#ifndef CHECK
#define CHECK memory_order_acquire
#endif

typedef struct object {
    int value;
} object_t;

_Atomic(object_t *) instance;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int made;

static object_t *get(void)
{
    object_t *object = atomic_load_explicit(&instance, CHECK);
    if (!object) {
        pthread_mutex_lock(&mutex);
        object = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!object) {
            object = malloc(sizeof(object_t));
            object->value = 7;
            made++;
            atomic_store_explicit(&instance, object, PUBLISH);
        }
        pthread_mutex_unlock(&mutex);
    }
    return object;
}

static void *user(void *unused)
{
    assert(get()->value == 7);
    return unused;
}

int main(void)
{
    run(user, user, user);
    assert(made == 1);
    return 0;
}

#pragma fencepost expect main sc holds
