/* The coarse-grained list of chapter 9: a sorted linked list with a sentinel at either end, and one lock that every
 * operation holds from its first step to its last. */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct node {
    int key;
    struct node *next;
} node_t;

typedef struct set {
    node_t *head;
    pthread_mutex_t lock;
} set_t;

static node_t *new_node(int key, node_t *next)
{
    node_t *node = malloc(sizeof(node_t));
    node->key = key;
    node->next = next;
    return node;
}

static void init_set(set_t *set)
{
    set->head = new_node(INT_MIN, new_node(INT_MAX, 0));
    pthread_mutex_init(&set->lock, 0);
}

/* The last node whose key is smaller. */
static node_t *before(set_t *set, int key)
{
    node_t *pred = set->head;
    while (pred->next->key < key)
        pred = pred->next;
    return pred;
}

static bool add(set_t *set, int key)
{
    pthread_mutex_lock(&set->lock);
    node_t *pred = before(set, key);
    bool absent = pred->next->key != key;
    if (absent)
        pred->next = new_node(key, pred->next);
    pthread_mutex_unlock(&set->lock);
    return absent;
}

static bool remove(set_t *set, int key)
{
    pthread_mutex_lock(&set->lock);
    node_t *pred = before(set, key);
    bool present = pred->next->key == key;
    if (present)
        pred->next = pred->next->next;
    pthread_mutex_unlock(&set->lock);
    return present;
}

static bool contains(set_t *set, int key)
{
    pthread_mutex_lock(&set->lock);
    bool present = before(set, key)->next->key == key;
    pthread_mutex_unlock(&set->lock);
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
