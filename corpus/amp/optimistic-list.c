/* The optimistic list of chapter 9: operations walk without locks, lock the two nodes they found, and then walk once
 * more from the head to see that both are still in the list and still neighbours. If not, they start again. */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct node {
    int key;
    _Atomic(struct node *) next;
    pthread_mutex_t lock;
} node_t;

typedef struct set {
    node_t *head;
} set_t;

static node_t *new_node(int key, node_t *next)
{
    node_t *node = malloc(sizeof(node_t));
    node->key = key;
    atomic_store_explicit(&node->next, next, memory_order_relaxed);
    pthread_mutex_init(&node->lock, 0);
    return node;
}

static void init_set(set_t *set)
{
    set->head = new_node(INT_MIN, new_node(INT_MAX, 0));
}

static void release(node_t *pred, node_t *curr)
{
    pthread_mutex_unlock(&curr->lock);
    pthread_mutex_unlock(&pred->lock);
}

/* Whether pred can still be reached and curr comes right behind it. */
static bool validate(set_t *set, node_t *pred, node_t *curr)
{
    node_t *node = set->head;
    while (node->key <= pred->key) {
        if (node == pred)
            return pred->next == curr;
        node = node->next;
    }
    return false;
}

/* The neighbours between which the key is or would be, locked. */
static void locate(set_t *set, int key, node_t **left, node_t **right)
{
    while (true) {
        node_t *pred = set->head;
        node_t *curr = pred->next;
        while (curr->key < key) {
            pred = curr;
            curr = curr->next;
        }
        pthread_mutex_lock(&pred->lock);
        pthread_mutex_lock(&curr->lock);
        if (validate(set, pred, curr)) {
            *left = pred;
            *right = curr;
            return;
        }
        release(pred, curr);
    }
}

static bool add(set_t *set, int key)
{
    node_t *pred, *curr;
    locate(set, key, &pred, &curr);
    bool absent = curr->key != key;
    if (absent)
        pred->next = new_node(key, curr);
    release(pred, curr);
    return absent;
}

static bool remove(set_t *set, int key)
{
    node_t *pred, *curr;
    locate(set, key, &pred, &curr);
    bool present = curr->key == key;
    if (present)
        pred->next = curr->next;
    release(pred, curr);
    return present;
}

static bool contains(set_t *set, int key)
{
    node_t *pred, *curr;
    locate(set, key, &pred, &curr);
    bool present = curr->key == key;
    release(pred, curr);
    return present;
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
#pragma fencepost expect RR sc holds
#pragma fencepost expect RA sc holds
#pragma fencepost expect ARC sc holds
