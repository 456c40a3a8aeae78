/* The striped hash set of chapter 13: an array of locks that does not grow with the table, so that each lock stands for
 * more and more buckets. Growing takes all locks, in order. */
#include <pthread.h>
#include "hash-set.h"

#ifndef THRESHOLD
#define THRESHOLD 2
#endif

typedef struct set {
    _Atomic(table_t *) table;
    atomic_int size;
    pthread_mutex_t locks[INITIAL_CAPACITY];
} set_t;

static void init_set(set_t *set)
{
    set->table = new_table(INITIAL_CAPACITY);
    make_buckets(set->table);
    set->size = 0;
    for (int i = 0; i < INITIAL_CAPACITY; i++)
        pthread_mutex_init(&set->locks[i], 0);
}

static void acquire(set_t *set, int value, int *me)
{
    (void)me;
    pthread_mutex_lock(&set->locks[HASH(value) % INITIAL_CAPACITY]);
}

static void release(set_t *set, int value, int *me)
{
    (void)me;
    pthread_mutex_unlock(&set->locks[HASH(value) % INITIAL_CAPACITY]);
}

static bool policy(set_t *set)
{
    return set->size / set->table->capacity > THRESHOLD;
}

static void resize(set_t *set, int *me)
{
    (void)me;
    for (int i = 0; i < INITIAL_CAPACITY; i++)
        pthread_mutex_lock(&set->locks[i]);
    if (policy(set)) {
        table_t *old = set->table;
        set->table = new_table(2 * old->capacity);
        make_buckets(set->table);
        rehash(set->table, old);
    }
    for (int i = 0; i < INITIAL_CAPACITY; i++)
        pthread_mutex_unlock(&set->locks[i]);
}

#include "hash-set-operations.h"

set_t set;

#pragma fencepost init init_set(&set)
#pragma fencepost op a = add(&set, any(0, 1))
#pragma fencepost op c = contains(&set, any(0, 1))
#pragma fencepost op r = remove(&set, any(0, 1))
#pragma fencepost op a0 = add(&set, 0)
#pragma fencepost op a1 = add(&set, 1)
#pragma fencepost op a2 = add(&set, 2)
#pragma fencepost op c0 = contains(&set, 0)
#pragma fencepost op r1 = remove(&set, 1)
#include "set-tests.h"
#pragma fencepost test GrowSeq = ( a0 a1 a2 c0 r1 )
#pragma fencepost test Grow    = a0 a1 ( a2 | r )
#pragma fencepost expect Seq sc holds
#pragma fencepost expect AA sc holds
#pragma fencepost expect AR sc holds
#pragma fencepost expect AC sc holds
#pragma fencepost expect RR sc holds
#pragma fencepost expect RA sc holds
#pragma fencepost expect ARC sc holds
#pragma fencepost expect GrowSeq sc holds
#pragma fencepost expect Grow sc holds
