/* The lock-free hash set of chapter 13: one list of all values, sorted by their hashes with the bits reversed, and
 * pointers into it, one for each bucket, to sentinels that are made when they are first needed. When the number of
 * buckets doubles, each bucket splits in two and no value moves.
 *
 * Unlike in the list of chapter 9, a marked link says that the node it leads to is removed. As published, there are
 * two defects:
 * - remove marks with attemptMark, which also succeeds if another thread was faster, so that two threads can remove
 *   one value (test RR). -DPATCHED swaps link and mark instead.
 * - A node whose removal is decided can still get a successor, which is lost if another thread has just read what
 *   comes behind the removed node in order to unlink it. This loses values (test Lost) and sentinels (test Split: then
 *   two threads add one value, each behind its own sentinel). The patch does not touch this.
 *
 * Two values with the same hash count as one: HASH must tell values apart. */
#define FENCEPOST_LONG_NAMES
#include <fencepost.h>
#include <limits.h>
#include <stdlib.h>
#include "mark.h"

#ifndef HASH
#define HASH(value) fp_hash(value)
#endif
#ifndef THRESHOLD
#define THRESHOLD 2
#endif

/* Keys have three bits, so hashes have two: the third makes room for the keys of sentinels. */
enum { HASH_BITS = 2, HIGH_BIT = 1 << HASH_BITS, MASK = HIGH_BIT - 1 };
enum { MAX_BUCKETS = 1 << HASH_BITS, INITIAL_BUCKETS = 2 };

typedef struct node {
    int key;
    markable_t next;
} node_t;

typedef struct set {
    _Atomic(node_t *) buckets[MAX_BUCKETS];
    atomic_int bucket_count;
    atomic_int size;
} set_t;

static int reverse(int key)
{
    int reversed = 0;
    for (int bit = 0; bit <= HASH_BITS; bit++)
        reversed |= (key >> bit & 1) << (HASH_BITS - bit);
    return reversed;
}

static int ordinary_key(int value) { return reverse((HASH(value) & MASK) | HIGH_BIT); }
static int sentinel_key(int bucket) { return reverse(bucket & MASK); }

static node_t *new_node(int key, node_t *next)
{
    node_t *node = malloc(sizeof(node_t));
    node->key = key;
    atomic_store_explicit(&node->next, pack(next, false), memory_order_relaxed);
    return node;
}

static void init_set(set_t *set)
{
    for (int i = 1; i < MAX_BUCKETS; i++)
        set->buckets[i] = 0;
    set->buckets[0] = new_node(sentinel_key(0), new_node(INT_MAX, 0));
    set->bucket_count = INITIAL_BUCKETS;
    set->size = 0;
}

/* The next node that is not removed. Unlinks the removed ones before it. */
static node_t *successor(node_t *node)
{
    uintptr_t link = node->next;
    while (is_marked(link)) {
        node_t *removed = reference(link);
        uintptr_t next = removed->next;
        swap(&node->next, removed, true, reference(next), is_marked(next));
        link = node->next;
    }
    return reference(link);
}

static node_t *find(node_t *start, int key, node_t **left)
{
    node_t *pred = start;
    node_t *curr = successor(pred);
    while (curr->key < key) {
        pred = curr;
        curr = successor(pred);
    }
    *left = pred;
    return curr;
}

/* The node with this key; added if there is none. */
static node_t *find_or_add(node_t *start, int key, bool *added)
{
    while (true) {
        node_t *pred;
        node_t *curr = find(start, key, &pred);
        *added = curr->key != key;
        if (!*added)
            return curr;
        node_t *node = new_node(key, curr);
        if (swap(&pred->next, curr, false, node, false))
            return node;
    }
}

/* The bucket that this one splits from: its number without the highest bit. */
static int parent(set_t *set, int bucket)
{
    int highest = set->bucket_count;
    do
        highest >>= 1;
    while (highest > bucket);
    return bucket - highest;
}

static void init_bucket(set_t *set, int bucket)
{
    bool added;
    int from = parent(set, bucket);
    if (!set->buckets[from])
        init_bucket(set, from);
    set->buckets[bucket] = find_or_add(set->buckets[from], sentinel_key(bucket), &added);
}

/* Where to start the search for a value. */
static node_t *start_of(set_t *set, int value)
{
    int bucket = (HASH(value) & MASK) % set->bucket_count;
    if (!set->buckets[bucket])
        init_bucket(set, bucket);
    return set->buckets[bucket];
}

static bool add(set_t *set, int value)
{
    bool added;
    find_or_add(start_of(set, value), ordinary_key(value), &added);
    if (!added)
        return false;
    int size = atomic_fetch_add(&set->size, 1);
    int count = set->bucket_count;
    if (size / count > THRESHOLD && 2 * count <= MAX_BUCKETS)
        atomic_compare_exchange_strong(&set->bucket_count, &count, 2 * count);
    return true;
}

static bool remove(set_t *set, int value)
{
    node_t *start = start_of(set, value);
    int key = ordinary_key(value);
    while (true) {
        node_t *pred;
        node_t *curr = find(start, key, &pred);
        if (curr->key != key)
            return false;
#ifdef PATCHED
        if (swap(&pred->next, curr, false, curr, true))
            return true;
#else
        if (attempt_mark(&pred->next, curr))
            return true;
#endif
    }
}

static bool contains(set_t *set, int value)
{
    node_t *pred;
    int key = ordinary_key(value);
    return find(start_of(set, value), key, &pred)->key == key;
}

set_t set;

#pragma fencepost init init_set(&set)
#pragma fencepost op a = add(&set, any(0, 1))
#pragma fencepost op c = contains(&set, any(0, 1))
#pragma fencepost op r = remove(&set, any(0, 1))
#pragma fencepost oracle set for a, c, r
#pragma fencepost op a0 = add(&set, 0)
#pragma fencepost op c0 = contains(&set, 0)
#pragma fencepost op r0 = remove(&set, 0)
#pragma fencepost op a1 = add(&set, 1)
#pragma fencepost op a2 = add(&set, 2)
#pragma fencepost op c2 = contains(&set, 2)
#pragma fencepost test Seq   = ( a c r c )
#pragma fencepost test AA    = ( a | a )
#pragma fencepost test AR    = ( a | r )
#pragma fencepost test AC    = ( a | c )
#pragma fencepost test RR    = a0 ( r0 | r0 )
#pragma fencepost test Split = a0 ( r0 a1 | a1 )
#pragma fencepost test Lost  = a0 ( r0 c0 | a2 c2 )
#pragma fencepost expect Seq sc holds
#pragma fencepost expect AA sc holds
#pragma fencepost expect AR sc holds
#pragma fencepost expect AC sc holds
#pragma fencepost expect Split sc violated
#pragma fencepost expect Lost sc violated
#ifdef PATCHED
#pragma fencepost expect RR sc holds
#else
#pragma fencepost expect RR sc violated
#endif
