/* The striped cuckoo hash set of chapter 13: two tables, each with an array of locks that does not grow. A value's two
 * places are locked in the order of the tables; growing takes all locks of the first table, which is enough.
 *
 * What is wrong with it is said in cuckoo-hash-set-operations.h. */
#include "cuckoo-hash-set.h"
#include "reentrant.h"

typedef struct set {
    _Atomic(tables_t *) tables;
    atomic_int capacity;
    reentrant_t locks[2][INITIAL_CAPACITY];
} set_t;

static bool add_as(set_t *set, int value, int *me);

static void init_set(set_t *set)
{
    set->tables = new_tables(INITIAL_CAPACITY);
    make_lists(set->tables, INITIAL_CAPACITY);
    set->capacity = INITIAL_CAPACITY;
}

static void acquire(set_t *set, int value, int *me)
{
    reentrant_lock(&set->locks[0][hash(0, value) % INITIAL_CAPACITY], me);
    reentrant_lock(&set->locks[1][hash(1, value) % INITIAL_CAPACITY], me);
}

static void release(set_t *set, int value, int *me)
{
    (void)me;
    reentrant_unlock(&set->locks[0][hash(0, value) % INITIAL_CAPACITY]);
    reentrant_unlock(&set->locks[1][hash(1, value) % INITIAL_CAPACITY]);
}

static void grow(set_t *set, int *me)
{
    tables_t *old = set->tables;
    int old_capacity = set->capacity;
    set->capacity = 2 * old_capacity;
    set->tables = new_tables(set->capacity);
    make_lists(set->tables, set->capacity);
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < old_capacity; i++) {
            bucket_t *list = old->at[which][i];
            for (entry_t *entry = list->first; entry; entry = entry->next)
                add_as(set, entry->value, me);
        }
}

static void resize(set_t *set, int *me)
{
    int old_capacity = set->capacity;
    for (int i = 0; i < INITIAL_CAPACITY; i++)
        reentrant_lock(&set->locks[0][i], me);
    if (set->capacity == old_capacity)
        grow(set, me);
    for (int i = 0; i < INITIAL_CAPACITY; i++)
        reentrant_unlock(&set->locks[0][i]);
}

#include "cuckoo-hash-set-operations.h"

/* What add does when lists are full, as operations of their own: to fill the lists takes long tests. */
static void grow_now(set_t *set)
{
    int me;
    resize(set, &me);
}

static bool relocate_now(set_t *set, int which, int place)
{
    int me;
    return relocate(set, which, place, &me);
}

set_t set;

#pragma fencepost init init_set(&set)
#pragma fencepost op a = add(&set, any(0, 1))
#pragma fencepost op c = contains(&set, any(0, 1))
#pragma fencepost op r = remove(&set, any(0, 1))
#pragma fencepost op a0 = add(&set, 0)
#pragma fencepost op c0 = contains(&set, 0)
#pragma fencepost op g = grow_now(&set)
#pragma fencepost op l = relocate_now(&set, 0, 0)
#include "set-tests.h"
#pragma fencepost test Grow     = a0 ( g | c0 )
#pragma fencepost test Relocate = a0 ( g | l )
#pragma fencepost expect Seq sc holds
#pragma fencepost expect AA sc holds
#pragma fencepost expect AR sc holds
#pragma fencepost expect AC sc holds
#pragma fencepost expect RR sc holds
#pragma fencepost expect RA sc holds
#pragma fencepost expect ARC sc holds
#pragma fencepost expect Grow sc holds
#pragma fencepost expect Relocate sc violated
