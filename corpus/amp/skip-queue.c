/* The skip queue of chapter 15: a lock-free skip list in the order of scores, whose nodes also carry a mark that says
 * that their value is taken. remove_min walks along the bottom level, takes the first value that it can mark, and then
 * removes the node from the list. All nodes have full height. The scores of a queue must differ: add drops a value
 * whose score is there already.
 *
 * It is quiescently consistent, but neither linearizable nor sequentially consistent: a value with a lower score can
 * come in behind a remove_min under way, which then takes one that was added later: after add(0, 1), in
 * ( add(1, 0) add(2, 2) | remove_min | remove_min ), 0 and 2 can be removed. This test takes the checker long.
 *
 * -DFIRST_EDITION has the walk of the first edition, which does not go on when it meets a node that is taken already.
 * It can stand there for ever; no execution that ends shows it. */
#include <limits.h>
#include <stdlib.h>
#include "mark.h"

#ifndef LEVELS
#define LEVELS 2
#endif

typedef struct node {
    int score;
    int value;
    atomic_bool taken;
    markable_t next[LEVELS]; /* a mark says that this node is removed from the level */
} node_t;

typedef struct pq {
    node_t *head;
    node_t *tail;
} pq_t;

/* For each level, the nodes between which a score is or would be. */
typedef struct window {
    node_t *pred[LEVELS];
    node_t *succ[LEVELS];
} window_t;

static node_t *new_node(int score, int value)
{
    node_t *node = malloc(sizeof(node_t));
    node->score = score;
    node->value = value;
    atomic_store_explicit(&node->taken, false, memory_order_relaxed);
    return node;
}

static void set_next(node_t *node, int level, node_t *next)
{
    atomic_store_explicit(&node->next[level], pack(next, false), memory_order_relaxed);
}

static void init_pq(pq_t *pq)
{
    pq->head = new_node(INT_MIN, 0);
    pq->tail = new_node(INT_MAX, 0);
    for (int level = 0; level < LEVELS; level++) {
        set_next(pq->head, level, pq->tail);
        set_next(pq->tail, level, 0);
    }
}

/* One walk through a level. Unlinks what is marked, and fails if it cannot. */
static bool walk(node_t *pred, int level, int score, window_t *window)
{
    node_t *curr = reference(pred->next[level]);
    while (true) {
        uintptr_t link = curr->next[level];
        while (is_marked(link)) {
            if (!swap(&pred->next[level], curr, false, reference(link), false))
                return false;
            curr = reference(pred->next[level]);
            link = curr->next[level];
        }
        if (curr->score >= score)
            break;
        pred = curr;
        curr = reference(link);
    }
    window->pred[level] = pred;
    window->succ[level] = curr;
    return true;
}

static bool descend(pq_t *pq, int score, window_t *window)
{
    node_t *start = pq->head;
    for (int level = LEVELS - 1; level >= 0; level--) {
        if (!walk(start, level, score, window))
            return false;
        start = window->pred[level];
    }
    return true;
}

/* Finds the window of a score. Says whether the score is there. */
static bool find(pq_t *pq, int score, window_t *window)
{
    while (!descend(pq, score, window))
        ;
    return window->succ[0]->score == score;
}

static void add(pq_t *pq, int value, int score)
{
    node_t *node = new_node(score, value);
    window_t window;
    do {
        if (find(pq, score, &window))
            return;
        for (int level = 0; level < LEVELS; level++)
            set_next(node, level, window.succ[level]);
    } while (!swap(&window.pred[0]->next[0], window.succ[0], false, node, false));
    for (int level = 1; level < LEVELS; level++)
        while (!swap(&window.pred[level]->next[level], window.succ[level], false, node, false))
            find(pq, score, &window);
}

/* Marks all links of a node, from the top down, and lets a walk unlink it. */
static void remove(pq_t *pq, node_t *node)
{
    window_t window;
    for (int level = LEVELS - 1; level >= 0; level--) {
        uintptr_t link = node->next[level];
        while (!is_marked(link)) {
            swap(&node->next[level], reference(link), false, reference(link), true);
            link = node->next[level];
        }
    }
    find(pq, node->score, &window);
}

static node_t *take_first(pq_t *pq)
{
    node_t *curr = reference(pq->head->next[0]);
    while (curr != pq->tail) {
#ifdef FIRST_EDITION
        if (curr->taken)
            continue;
#endif
        bool taken = false;
        if (atomic_compare_exchange_strong(&curr->taken, &taken, true))
            return curr;
        curr = reference(curr->next[0]);
    }
    return 0;
}

static bool remove_min(pq_t *pq, int *value)
{
    node_t *node = take_first(pq);
    if (!node)
        return false;
    *value = node->value;
    remove(pq, node);
    return true;
}

pq_t pq;

#include "priority-queue.h"
#pragma fencepost test Seq = ( a1 a0 r r )
#pragma fencepost test AR  = a1 ( a0 | r )
#if LEVELS == 1
#pragma fencepost test A   = ( a0 | a1 r )
#pragma fencepost test R   = a0 a1 ( r | r )
#pragma fencepost test AAR = ( a0 a1 | r )
#endif
#pragma fencepost expect Seq sc holds
#pragma fencepost expect AR sc holds
#if LEVELS == 1
#pragma fencepost expect A sc holds
#pragma fencepost expect R sc holds
#pragma fencepost expect AAR sc holds
#endif
