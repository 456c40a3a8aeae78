/* The coarse-grained hash set of chapter 13: one lock. The table doubles when there are more than four values a bucket;
 * that is decided without the lock and therefore looked at again with it. */
#include <pthread.h>
#include "hash-set.h"

#ifndef THRESHOLD
#define THRESHOLD 4
#endif

typedef struct set {
    _Atomic(table_t *) table;
    atomic_int size;
    pthread_mutex_t lock;
} set_t;

static void init_set(set_t *set)
{
    set->table = new_table(INITIAL_CAPACITY);
    make_buckets(set->table);
    set->size = 0;
    pthread_mutex_init(&set->lock, 0);
}

static void acquire(set_t *set, int value, int *me)
{
    (void)value, (void)me;
    pthread_mutex_lock(&set->lock);
}

static void release(set_t *set, int value, int *me)
{
    (void)value, (void)me;
    pthread_mutex_unlock(&set->lock);
}

static bool policy(set_t *set)
{
    return set->size / set->table->capacity > THRESHOLD;
}

static void resize(set_t *set, int *me)
{
    (void)me;
    pthread_mutex_lock(&set->lock);
    if (policy(set)) {
        table_t *old = set->table;
        set->table = new_table(2 * old->capacity);
        make_buckets(set->table);
        rehash(set->table, old);
    }
    pthread_mutex_unlock(&set->lock);
}

#include "hash-set-operations.h"

set_t set;

#pragma fencepost init init_set(&set)
#pragma fencepost op a = add(&set, any(0, 1))
#pragma fencepost op c = contains(&set, any(0, 1))
#pragma fencepost op r = remove(&set, any(0, 1))
#include "set-tests.h"
#pragma fencepost expect Seq sc holds
#pragma fencepost expect AA sc holds
#pragma fencepost expect AR sc holds
#pragma fencepost expect AC sc holds
#pragma fencepost expect RR sc holds
#pragma fencepost expect RA sc holds
#pragma fencepost expect ARC sc holds
