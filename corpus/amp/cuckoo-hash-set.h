/* The tables of the phased cuckoo hash sets of chapter 13: two of them, with a short list of values at each place. A
 * value has one place in either table. */
#include "hash-set.h"

#ifndef PROBE_SIZE
#define PROBE_SIZE 2
#endif
#ifndef THRESHOLD
#define THRESHOLD 1
#endif
#ifndef LIMIT
#define LIMIT 8
#endif

typedef struct tables {
    _Atomic(bucket_t *) at[2][MAX_CAPACITY];
} tables_t;

/* The second hash function. Where the first may be any, so may this one, and they need have nothing to do with each
 * other; else it differs from the first by one. */
#ifndef SECOND_HASH
#ifdef FP_HASH_DOMAIN
static unsigned second_hash[FP_HASH_DOMAIN];
static void choose_second_hash(void)
{
    for (int value = 0; value < FP_HASH_DOMAIN; value++)
        second_hash[value] = FP_HASH_VALUE;
}
#pragma fencepost init choose_second_hash()
#define SECOND_HASH(value) second_hash[value]
#else
#define SECOND_HASH(value) (HASH(value) + 1)
#endif
#endif

static int hash(int which, int value) { return which ? SECOND_HASH(value) : HASH(value); }

static tables_t *new_tables(int capacity)
{
    assert(capacity <= MAX_CAPACITY);
    return calloc(1, sizeof(tables_t));
}

static void make_lists(tables_t *tables, int capacity)
{
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < capacity; i++)
            tables->at[which][i] = new_bucket();
}

static int bucket_size(bucket_t *bucket)
{
    int size = 0;
    for (entry_t *entry = bucket->first; entry; entry = entry->next)
        size++;
    return size;
}
