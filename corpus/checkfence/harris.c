/* The non-blocking set of Harris (DISC 2001): a sorted list in which a node is removed in two steps. First
 * its next pointer gets a mark, in the lowest bit, so that nothing can be linked behind it any more; then it
 * is unlinked, by whoever comes along. */
#include <fencepost.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "order.h"

typedef struct node {
    struct node *next;
    int key;
} node_t;

typedef struct set {
    node_t *head;
    node_t *tail;
} set_t;

static bool is_marked(node_t *link) { return (uintptr_t)link & 1; }
static node_t *with_mark(node_t *link) { return (node_t *)((uintptr_t)link | 1); }
static node_t *without_mark(node_t *link) { return (node_t *)((uintptr_t)link & ~(uintptr_t)1); }

static node_t *new_node(int key)
{
    node_t *node = malloc(sizeof(node_t));
    node->key = key;
    return node;
}

static void init_set(set_t *set)
{
    set->tail = new_node(INT_MAX);
    set->tail->next = 0;
    set->head = new_node(INT_MIN);
    set->head->next = set->tail;
}

/* The first unmarked node whose key is not smaller, and the unmarked one before it. Unlinks what is marked
 * between them. */
static node_t *search(set_t *set, int key, node_t **left)
{
    node_t *left_next, *right;
    while (true) {
        node_t *at = set->head;
        node_t *next = at->next;
        ORDER(1, "load-load");
        left_next = next;
        do {
            if (!is_marked(next)) {
                *left = at;
                left_next = next;
            }
            at = without_mark(next);
            if (at == set->tail)
                break;
            next = at->next;
            ORDER(2, "load-load");
        } while (is_marked(next) || at->key < key);
        right = at;
        if (left_next != right && !cas(&(*left)->next, left_next, right))
            continue;
        if (right == set->tail || !is_marked(right->next))
            return right;
    }
}

static bool contains(set_t *set, int key)
{
    node_t *left;
    node_t *right = search(set, key, &left);
    return right != set->tail && right->key == key;
}

static bool add(set_t *set, int key)
{
    node_t *left;
    node_t *node = new_node(key);
    while (true) {
        node_t *right = search(set, key, &left);
        if (right != set->tail && right->key == key)
            return false;
        node->next = right;
        ORDER(3, "store-store");
        if (cas(&left->next, right, node))
            return true;
    }
}

static bool remove(set_t *set, int key)
{
    node_t *left, *right, *next;
    while (true) {
        right = search(set, key, &left);
        if (right == set->tail || right->key != key)
            return false;
        next = right->next;
        if (!is_marked(next) && cas(&right->next, next, with_mark(next)))
            break;
    }
    ORDER(4, "store-store");
    if (!cas(&left->next, right, next))
        search(set, key, &left);
    return true;
}

set_t set;

#pragma fencepost init init_set(&set)
#pragma fencepost op a = add(&set, any(0, 1))
#pragma fencepost op c = contains(&set, any(0, 1))
#pragma fencepost op r = remove(&set, any(0, 1))
#include "set-tests.h"

#ifndef UNFENCED
#pragma fencepost expect Sac, Sar, Saa, Sacr sc, tso, pso, rmo, relaxed holds
#pragma fencepost expect Sarr relaxed holds
#else
#pragma fencepost expect Sac, Sar, Saa, Sacr sc, tso holds
#pragma fencepost expect Sac, Sar, Saa, Sacr pso, rmo, relaxed violated
#endif
