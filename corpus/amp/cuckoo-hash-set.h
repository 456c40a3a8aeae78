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

static int hash(int which, int value) { return HASH(value) + which; }

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
