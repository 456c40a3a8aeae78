/* The refinable hash set of chapter 13: the array of locks grows with the table. A thread that wants to grow it makes
 * itself the owner, which keeps others from taking locks, and waits until no lock is held. Whoever takes a lock looks
 * afterwards whether it still is the right one.
 *
 * As published, the new array of locks can be seen before there are locks in it. A thread that looked for an owner
 * before there was one finds null there. -DPATCHED fills the array first. */
#include "hash-set.h"
#include "reentrant.h"
#include "mark.h"

#ifndef THRESHOLD
#define THRESHOLD 2
#endif

typedef struct locks {
    int length;
    _Atomic(reentrant_t *) at[MAX_CAPACITY];
} locks_t;

typedef struct set {
    _Atomic(table_t *) table;
    atomic_int size;
    _Atomic(locks_t *) locks;
    markable_t owner; /* who grows the table, marked while it does */
} set_t;

static locks_t *new_locks(int length)
{
    locks_t *locks = calloc(1, sizeof(locks_t));
    locks->length = length;
    return locks;
}

static void make_locks(locks_t *locks)
{
    for (int i = 0; i < locks->length; i++)
        locks->at[i] = new_reentrant();
}

static void init_set(set_t *set)
{
    set->table = new_table(INITIAL_CAPACITY);
    make_buckets(set->table);
    set->size = 0;
    set->locks = new_locks(INITIAL_CAPACITY);
    make_locks(set->locks);
    set->owner = pack(0, false);
}

static bool owned_by_other(set_t *set, int *me)
{
    uintptr_t owner = set->owner;
    return is_marked(owner) && reference(owner) != me;
}

static void acquire(set_t *set, int value, int *me)
{
    while (true) {
        while (owned_by_other(set, me))
            ;
        locks_t *locks = set->locks;
        reentrant_t *lock = locks->at[HASH(value) % locks->length];
        reentrant_lock(lock, me);
        if (!owned_by_other(set, me) && set->locks == locks)
            return;
        reentrant_unlock(lock);
    }
}

static void release(set_t *set, int value, int *me)
{
    (void)me;
    locks_t *locks = set->locks;
    reentrant_unlock(locks->at[HASH(value) % locks->length]);
}

static bool policy(set_t *set)
{
    return set->size / set->table->capacity > THRESHOLD;
}

static void quiesce(set_t *set)
{
    locks_t *locks = set->locks;
    for (int i = 0; i < locks->length; i++)
        while (reentrant_is_held(locks->at[i]))
            ;
}

static void resize(set_t *set, int *me)
{
    if (!swap(&set->owner, 0, false, me, true))
        return;
    if (policy(set)) {
        quiesce(set);
        table_t *old = set->table;
        set->table = new_table(2 * old->capacity);
        make_buckets(set->table);
        locks_t *locks = new_locks(2 * old->capacity);
#ifdef PATCHED
        make_locks(locks);
        set->locks = locks;
#else
        set->locks = locks;
        make_locks(locks);
#endif
        rehash(set->table, old);
    }
    set->owner = pack(0, false);
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
#pragma fencepost test Grow    = a0 a1 ( a2 | c0 )
#pragma fencepost expect Seq sc holds
#pragma fencepost expect AA sc holds
#pragma fencepost expect AR sc holds
#pragma fencepost expect AC sc holds
#pragma fencepost expect RR sc holds
#pragma fencepost expect RA sc holds
#pragma fencepost expect ARC sc holds
#pragma fencepost expect GrowSeq sc holds
#ifdef PATCHED
#pragma fencepost expect Grow sc holds
#else
#pragma fencepost expect Grow sc violated
#endif
