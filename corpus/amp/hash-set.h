/* What the closed-addressing hash sets of chapter 13 share: a table of buckets, each with a short list of values. A
 * table has room for MAX_CAPACITY buckets, of which the first `capacity` are in use; a bucket that is not yet made is
 * null. HASH can be replaced to have collisions. */
#define FENCEPOST_LONG_NAMES
#include <assert.h>
#include <fencepost.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef HASH
#define HASH(value) fp_hash(value)
#endif
#ifndef INITIAL_CAPACITY
#define INITIAL_CAPACITY 1
#endif
#ifndef MAX_CAPACITY
#define MAX_CAPACITY 4
#endif

typedef struct entry {
    int value;
    struct entry *next;
} entry_t;

/* Values in the order in which they came. */
typedef struct bucket {
    entry_t *first;
} bucket_t;

typedef struct table {
    int capacity;
    _Atomic(bucket_t *) buckets[MAX_CAPACITY];
} table_t;

static bucket_t *new_bucket(void)
{
    bucket_t *bucket = malloc(sizeof(bucket_t));
    bucket->first = 0;
    return bucket;
}

/* The link to a value; the last link, which is null, if it is not there. */
static entry_t **link_to(bucket_t *bucket, int value)
{
    entry_t **link = &bucket->first;
    while (*link && (*link)->value != value)
        link = &(*link)->next;
    return link;
}

static bool bucket_contains(bucket_t *bucket, int value)
{
    return *link_to(bucket, value) != 0;
}

/* Adds a value that is not there yet. */
static void bucket_add(bucket_t *bucket, int value)
{
    entry_t *entry = malloc(sizeof(entry_t));
    entry->value = value;
    entry->next = 0;
    *link_to(bucket, value) = entry;
}

static bool bucket_remove(bucket_t *bucket, int value)
{
    entry_t **link = link_to(bucket, value);
    if (!*link)
        return false;
    *link = (*link)->next;
    return true;
}

static table_t *new_table(int capacity)
{
    assert(capacity <= MAX_CAPACITY);
    table_t *table = calloc(1, sizeof(table_t));
    table->capacity = capacity;
    return table;
}

static void make_buckets(table_t *table)
{
    for (int i = 0; i < table->capacity; i++)
        table->buckets[i] = new_bucket();
}

static bucket_t *bucket_of(table_t *table, int value)
{
    return table->buckets[HASH(value) % table->capacity];
}

/* Adds all values of another table. */
static void rehash(table_t *table, table_t *old)
{
    for (int i = 0; i < old->capacity; i++) {
        bucket_t *bucket = old->buckets[i];
        for (entry_t *entry = bucket->first; entry; entry = entry->next)
            bucket_add(bucket_of(table, entry->value), entry->value);
    }
}
