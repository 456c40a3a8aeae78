/* The lock-free list of chapter 9. A link carries a mark that says that the node it belongs to is removed; a marked link
 * never changes again. remove marks the node's own link, which decides, and then tries once to unlink the node; walks
 * that meet marked nodes unlink them, and start again if they cannot.
 *
 * -DFIRST_EDITION has the remove of the first edition: it marks with attemptMark, which also succeeds if another
 * thread was faster, so that two threads can remove one value.
 * -DNAIVE_FREE frees a node as soon as it is snipped, although other threads may still stand on it. */
#include <limits.h>
#include <stdlib.h>
#include "mark.h"

typedef struct node {
    int key;
    markable_t next;
} node_t;

typedef struct set {
    node_t *head;
} set_t;

static node_t *new_node(int key, node_t *next)
{
    node_t *node = malloc(sizeof(node_t));
    node->key = key;
    atomic_store_explicit(&node->next, pack(next, false), memory_order_relaxed);
    return node;
}

static void init_set(set_t *set)
{
    set->head = new_node(INT_MIN, new_node(INT_MAX, 0));
}

static bool snip(node_t *pred, node_t *curr, node_t *succ)
{
    bool snipped = swap(&pred->next, curr, false, succ, false);
#ifdef NAIVE_FREE
    if (snipped)
        free(curr);
#endif
    return snipped;
}

/* One walk to the neighbours between which the key is or would be. Fails if it cannot unlink a marked node. */
static bool walk(set_t *set, int key, node_t **left, node_t **right)
{
    node_t *pred = set->head;
    node_t *curr = reference(pred->next);
    while (true) {
        uintptr_t link = curr->next;
        while (is_marked(link)) {
            node_t *succ = reference(link);
            if (!snip(pred, curr, succ))
                return false;
            curr = succ;
            link = curr->next;
        }
        if (curr->key >= key) {
            *left = pred;
            *right = curr;
            return true;
        }
        pred = curr;
        curr = reference(link);
    }
}

static void find(set_t *set, int key, node_t **left, node_t **right)
{
    while (!walk(set, key, left, right))
        ;
}

static bool add(set_t *set, int key)
{
    while (true) {
        node_t *pred, *curr;
        find(set, key, &pred, &curr);
        if (curr->key == key)
            return false;
        node_t *node = new_node(key, curr);
        if (swap(&pred->next, curr, false, node, false))
            return true;
    }
}

static bool remove(set_t *set, int key)
{
    while (true) {
        node_t *pred, *curr;
        find(set, key, &pred, &curr);
        if (curr->key != key)
            return false;
        node_t *succ = reference(curr->next);
#ifdef FIRST_EDITION
        bool marked = attempt_mark(&curr->next, succ);
#else
        bool marked = swap(&curr->next, succ, false, succ, true);
#endif
        if (marked) {
            snip(pred, curr, succ);
            return true;
        }
    }
}

static bool contains(set_t *set, int key)
{
    node_t *curr = set->head;
    while (curr->key < key)
        curr = reference(curr->next);
    return curr->key == key && !is_marked(curr->next);
}

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
#ifdef NAIVE_FREE
#pragma fencepost test Freed = a ( r r | c )
#pragma fencepost expect Freed sc violated
#else
#ifdef FIRST_EDITION
#pragma fencepost expect RR sc violated
#else
#pragma fencepost expect RR sc holds
#endif
#pragma fencepost expect RA sc holds
#pragma fencepost expect ARC sc holds
#endif
