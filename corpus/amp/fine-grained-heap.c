/* The fine-grained heap of chapter 15: a heap in an array, with a lock for each node and one for the heap's size. A node
 * that add has put in and not yet moved to its place is BUSY and belongs to that thread; if another thread moves it
 * meanwhile, its owner follows it upwards.
 *
 * Two things are wrong with it that no execution which ends can show, so there is no expectation about them:
 * - Two adds can go on for ever: the lower one waits until the node above is no longer busy, and keeps taking the lock
 *   that the other needs for that. -DFAIR has locks that are given out in order, which ends this.
 * - add locks a node and then the one below, remove_min the bottom one and then the root: with one entry in the heap,
 *   ( add | remove_min ) can deadlock.
 *
 * The book does not say what remove_min does with an empty heap. Here it returns false. -DAS_PRINTED has remove_min as
 * the book prints it, without a test for that: it takes the node before the root for the bottom one, where the next add
 * then puts its entry, not to be found again; or it gives back once more what was removed last. A second one leaves
 * the array. */
#include "reentrant.h"
#include <assert.h>

#ifndef CAPACITY
#define CAPACITY 8
#endif

enum { ROOT = 1 };

typedef enum { EMPTY, AVAILABLE, BUSY } status_t;

typedef struct entry {
    status_t status;
    int score;
    int value;
    int *owner;
} entry_t;

typedef struct heap_node {
    entry_t entry;
    reentrant_t lock;
} node_t;

typedef struct pq {
    reentrant_t lock;
    int next; /* the first node that is not in use */
    node_t *nodes[CAPACITY];
} pq_t;

#ifdef AS_PRINTED
enum { NOTHING = -1 }; /* the value of an entry that nothing was ever put in */

static void init_pq(pq_t *pq)
{
    pq->next = ROOT;
    for (int i = 0; i < CAPACITY; i++) {
        pq->nodes[i] = calloc(1, sizeof(node_t));
        pq->nodes[i]->entry.value = NOTHING;
    }
}
#else
static void init_pq(pq_t *pq)
{
    pq->next = ROOT;
    for (int i = ROOT; i < CAPACITY; i++)
        pq->nodes[i] = calloc(1, sizeof(node_t));
}
#endif

static void exchange(node_t *a, node_t *b)
{
    entry_t entry = a->entry;
    a->entry = b->entry;
    b->entry = entry;
}

static void settle(node_t *node)
{
    node->entry.status = AVAILABLE;
    node->entry.owner = 0;
}

/* Moves an entry up by one node if it should and can. Returns where to go on; 0 if it has its place. */
static int sift_up(pq_t *pq, int child, int *me)
{
    int next = child;
    node_t *below = pq->nodes[child];
    node_t *above = pq->nodes[child / 2];
    reentrant_lock(&above->lock, me);
    reentrant_lock(&below->lock, me);
    if (below->entry.owner != me) {
        next = child / 2;
    } else if (above->entry.status == AVAILABLE) {
        if (below->entry.score < above->entry.score) {
            exchange(below, above);
            next = child / 2;
        } else {
            settle(below);
            next = 0;
        }
    }
    reentrant_unlock(&below->lock);
    reentrant_unlock(&above->lock);
    return next;
}

static void add(pq_t *pq, int value, int score)
{
    int me;
    reentrant_lock(&pq->lock, &me);
    int child = pq->next++;
    node_t *node = pq->nodes[child];
    reentrant_lock(&node->lock, &me);
    reentrant_unlock(&pq->lock);
    node->entry = (entry_t){BUSY, score, value, &me};
    reentrant_unlock(&node->lock);
    while (child > ROOT)
        child = sift_up(pq, child, &me);
    if (child == ROOT) {
        node_t *root = pq->nodes[ROOT];
        reentrant_lock(&root->lock, &me);
        if (root->entry.owner == &me)
            settle(root);
        reentrant_unlock(&root->lock);
    }
}

/* The smaller child of a node, locked; none if it has no children. */
static node_t *smaller_child(pq_t *pq, int parent, int *child, int *me)
{
    node_t *left = pq->nodes[2 * parent];
    node_t *right = pq->nodes[2 * parent + 1];
    reentrant_lock(&left->lock, me);
    reentrant_lock(&right->lock, me);
    if (left->entry.status == EMPTY) {
        reentrant_unlock(&right->lock);
        reentrant_unlock(&left->lock);
        return 0;
    }
    if (right->entry.status == EMPTY || left->entry.score < right->entry.score) {
        reentrant_unlock(&right->lock);
        *child = 2 * parent;
        return left;
    }
    reentrant_unlock(&left->lock);
    *child = 2 * parent + 1;
    return right;
}

/* Moves the root's entry down to its place. The root is locked. */
static void sift_down(pq_t *pq, int *me)
{
    int parent = ROOT;
    while (parent < CAPACITY / 2) {
        int child;
        node_t *above = pq->nodes[parent];
        node_t *below = smaller_child(pq, parent, &child, me);
        if (!below)
            break;
        if (below->entry.score >= above->entry.score) {
            reentrant_unlock(&below->lock);
            break;
        }
        exchange(above, below);
        reentrant_unlock(&above->lock);
        parent = child;
    }
    reentrant_unlock(&pq->nodes[parent]->lock);
}

static bool remove_min(pq_t *pq, int *value)
{
    int me;
    reentrant_lock(&pq->lock, &me);
#ifdef AS_PRINTED
    assert(pq->next > 0); /* the bounds of an array in Java */
#else
    if (pq->next == ROOT) {
        reentrant_unlock(&pq->lock);
        return false;
    }
#endif
    node_t *root = pq->nodes[ROOT];
    node_t *bottom = pq->nodes[--pq->next];
    reentrant_lock(&bottom->lock, &me);
    reentrant_lock(&root->lock, &me);
    reentrant_unlock(&pq->lock);
    *value = root->entry.value;
#ifdef AS_PRINTED
    bool found = *value != NOTHING;
#else
    bool found = true;
#endif
    root->entry.status = EMPTY;
    root->entry.owner = 0;
    exchange(bottom, root);
    bottom->entry.owner = 0;
    reentrant_unlock(&bottom->lock);
    if (root->entry.status == EMPTY) {
        reentrant_unlock(&root->lock);
        return found;
    }
    root->entry.status = AVAILABLE;
    sift_down(pq, &me);
    return found;
}

pq_t pq;

#include "priority-queue.h"
#ifdef AS_PRINTED
#pragma fencepost test RR = ( r r )
#elif defined FAIR
#pragma fencepost test One = ( a0 r )
#else
#pragma fencepost test Seq = ( a1 a0 r r )
#pragma fencepost test AR  = a1 ( a0 | r )
#pragma fencepost test R   = a0 a1 ( r | r )
#pragma fencepost test AAR = ( a0 a1 | r )
#pragma fencepost test ARR = a1 ( a0 | r r )
#endif
#ifdef AS_PRINTED
#pragma fencepost expect RR sc violated
#elif defined FAIR
#pragma fencepost expect One sc holds
#else
#pragma fencepost expect Seq sc holds
#pragma fencepost expect AR sc holds
#pragma fencepost expect R sc holds
#pragma fencepost expect AAR sc holds
#pragma fencepost expect ARR sc holds
#endif
