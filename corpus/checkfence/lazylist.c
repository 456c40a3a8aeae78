/* The lazy list-based set of Heller, Herlihy, Luchangco, Moir, Scherer and Shavit (OPODIS 2005). Adding and
 * removing lock two neighbours and then look whether they still are neighbours; removing marks a node before
 * it unlinks it, so that looking a key up needs no locks.
 *
 * -DUNMARKED gives the published pseudocode, which does not say that a new node starts out unmarked. */
#include <fencepost.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include "order.h"

typedef struct node {
    struct node *next;
    int key;
    bool marked;
    lock_t lock;
} node_t;

typedef struct set {
    node_t *head;
} set_t;

static node_t *new_node(int key, node_t *next)
{
    node_t *node = malloc(sizeof(node_t));
    node->key = key;
    node->next = next;
#ifndef UNMARKED
    node->marked = false;
#endif
    node->lock = fp_lock_free;
    return node;
}

static void init_set(set_t *set)
{
    node_t *tail = new_node(INT_MAX, 0);
    tail->marked = false;
    set->head = new_node(INT_MIN, tail);
    set->head->marked = false;
}

static bool validate(node_t *pred, node_t *curr)
{
    return !pred->marked && !curr->marked && pred->next == curr;
}

/* Finds the neighbours between which a key is or would be, and locks them. */
static void locate(set_t *set, int key, node_t **left, node_t **right)
{
    while (true) {
        node_t *pred = set->head;
        node_t *curr = pred->next;
        ORDER(1, "load-load");
        while (curr->key < key) {
            pred = curr;
            curr = curr->next;
            ORDER(2, "load-load");
        }
        lock(&pred->lock);
        lock(&curr->lock);
        if (validate(pred, curr)) {
            *left = pred;
            *right = curr;
            return;
        }
        unlock(&curr->lock);
        unlock(&pred->lock);
    }
}

static bool contains(set_t *set, int key)
{
    node_t *curr = set->head;
    while (curr->key < key) {
        curr = curr->next;
        ORDER(3, "load-load");
    }
    return curr->key == key && !curr->marked;
}

static bool add(set_t *set, int key)
{
    node_t *pred, *curr;
    bool added = false;
    locate(set, key, &pred, &curr);
    if (curr->key != key) {
        node_t *node = new_node(key, curr);
        ORDER(4, "store-store");
        pred->next = node;
        added = true;
    }
    unlock(&curr->lock);
    unlock(&pred->lock);
    return added;
}

static bool remove(set_t *set, int key)
{
    node_t *pred, *curr;
    bool removed = false;
    locate(set, key, &pred, &curr);
    if (curr->key == key) {
        curr->marked = true;
        pred->next = curr->next;
        removed = true;
    }
    unlock(&curr->lock);
    unlock(&pred->lock);
    return removed;
}

set_t set;

#pragma fencepost init init_set(&set)
#pragma fencepost op a = add(&set, any(0, 1))
#pragma fencepost op c = contains(&set, any(0, 1))
#pragma fencepost op r = remove(&set, any(0, 1))
#include "set-tests.h"

#if defined UNMARKED
#pragma fencepost expect Sac, Sar, Saa sc, relaxed violated
#elif defined UNFENCED
#pragma fencepost expect Sac, Sar, Saa, Sacr sc, tso holds
#pragma fencepost expect Sac, Sar, Saa, Sacr pso, rmo, relaxed violated
#else
#pragma fencepost expect Sac, Sar, Saa, Sacr, Saacr, Sarr sc, tso, pso, rmo, relaxed holds
#pragma fencepost expect Sacr2, Saaarr, S1 relaxed holds
#endif
