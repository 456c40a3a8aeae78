/* The fine-grained list of chapter 9: every node has a lock, and a walk goes hand over hand, so that it always holds
 * the lock of the node it stands on when it asks for the next one. A node is linked or unlinked under the locks of
 * both neighbours. */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct node {
    int key;
    struct node *next;
    pthread_mutex_t lock;
} node_t;

typedef struct set {
    node_t *head;
} set_t;

static node_t *new_node(int key, node_t *next)
{
    node_t *node = malloc(sizeof(node_t));
    node->key = key;
    node->next = next;
    pthread_mutex_init(&node->lock, 0);
    return node;
}

static void init_set(set_t *set)
{
    set->head = new_node(INT_MIN, new_node(INT_MAX, 0));
}

/* The last node whose key is smaller; it and the one behind it are locked. */
static node_t *locate(set_t *set, int key)
{
    node_t *pred = set->head;
    pthread_mutex_lock(&pred->lock);
    node_t *curr = pred->next;
    pthread_mutex_lock(&curr->lock);
    while (curr->key < key) {
        pthread_mutex_unlock(&pred->lock);
        pred = curr;
        curr = curr->next;
        pthread_mutex_lock(&curr->lock);
    }
    return pred;
}

static void release(node_t *pred, node_t *curr)
{
    pthread_mutex_unlock(&curr->lock);
    pthread_mutex_unlock(&pred->lock);
}

static bool add(set_t *set, int key)
{
    node_t *pred = locate(set, key);
    node_t *curr = pred->next;
    bool absent = curr->key != key;
    if (absent)
        pred->next = new_node(key, curr);
    release(pred, curr);
    return absent;
}

static bool remove(set_t *set, int key)
{
    node_t *pred = locate(set, key);
    node_t *curr = pred->next;
    bool present = curr->key == key;
    if (present)
        pred->next = curr->next;
    release(pred, curr);
    return present;
}

static bool contains(set_t *set, int key)
{
    node_t *pred = locate(set, key);
    node_t *curr = pred->next;
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
