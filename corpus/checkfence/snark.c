/* The deque of Detlefs, Flood, Garthwaite, Martin, Shavit and Steele (DISC 2000), called Snark: a doubly
 * linked list whose two hats point to its ends, moved by double compare-and-swap. A node that points to
 * itself tells that the hat on it is that of an empty deque.
 *
 * This is the algorithm as first published. It has two bugs (Doherty and others, SPAA 2004), which
 * snark-corrected.c does without: a removal may find the deque empty that never was, and two removals may
 * take the same node. */
#include <fencepost.h>
#include <stdbool.h>
#include <stdlib.h>
#include "order.h"

typedef int value_t;

typedef struct node {
    struct node *left;
    struct node *right;
    value_t value;
} node_t;

typedef struct deque {
    node_t *left_hat;
    node_t *right_hat;
    node_t *dummy;
} deque_t;

static void init_deque(deque_t *deque)
{
    node_t *dummy = malloc(sizeof(node_t));
    dummy->left = dummy->right = dummy;
    deque->dummy = deque->left_hat = deque->right_hat = dummy;
}

static void add_left(deque_t *deque, value_t value)
{
    node_t *node = malloc(sizeof(node_t));
    node->left = deque->dummy;
    node->value = value;
    while (true) {
        node_t *left_hat = deque->left_hat;
        ORDER(1, "load-load");
        node_t *beyond = left_hat->left;
        if (beyond == left_hat) {
            node_t *right_hat = deque->right_hat;
            node->right = deque->dummy;
            ORDER(2, "store-store");
            if (dcas(&deque->left_hat, &deque->right_hat, left_hat, right_hat, node, node))
                return;
        } else {
            node->right = left_hat;
            ORDER(3, "store-store");
            if (dcas(&deque->left_hat, &left_hat->left, left_hat, beyond, node, node))
                return;
        }
    }
}

static void add_right(deque_t *deque, value_t value)
{
    node_t *node = malloc(sizeof(node_t));
    node->right = deque->dummy;
    node->value = value;
    while (true) {
        node_t *right_hat = deque->right_hat;
        ORDER(4, "load-load");
        node_t *beyond = right_hat->right;
        if (beyond == right_hat) {
            node_t *left_hat = deque->left_hat;
            node->left = deque->dummy;
            ORDER(5, "store-store");
            if (dcas(&deque->right_hat, &deque->left_hat, right_hat, left_hat, node, node))
                return;
        } else {
            node->left = right_hat;
            ORDER(6, "store-store");
            if (dcas(&deque->right_hat, &right_hat->right, right_hat, beyond, node, node))
                return;
        }
    }
}

static bool remove_left(deque_t *deque, value_t *value)
{
    while (true) {
        node_t *left_hat = deque->left_hat;
        ORDER(7, "load-load");
        node_t *right_hat = deque->right_hat;
        ORDER(8, "load-load");
        if (left_hat->left == left_hat)
            return false;
        if (left_hat == right_hat) {
            if (dcas(&deque->left_hat, &deque->right_hat, left_hat, right_hat, deque->dummy, deque->dummy)) {
                *value = left_hat->value;
                return true;
            }
        } else {
            node_t *inward = left_hat->right;
            if (dcas(&deque->left_hat, &left_hat->right, left_hat, inward, inward, left_hat)) {
                *value = left_hat->value;
                left_hat->left = deque->dummy;
                return true;
            }
        }
    }
}

static bool remove_right(deque_t *deque, value_t *value)
{
    while (true) {
        node_t *right_hat = deque->right_hat;
        ORDER(9, "load-load");
        node_t *left_hat = deque->left_hat;
        ORDER(10, "load-load");
        if (right_hat->right == right_hat)
            return false;
        if (right_hat == left_hat) {
            if (dcas(&deque->right_hat, &deque->left_hat, right_hat, left_hat, deque->dummy, deque->dummy)) {
                *value = right_hat->value;
                return true;
            }
        } else {
            node_t *inward = right_hat->left;
            if (dcas(&deque->right_hat, &right_hat->left, right_hat, inward, inward, right_hat)) {
                *value = right_hat->value;
                right_hat->right = deque->dummy;
                return true;
            }
        }
    }
}

deque_t deque;

#pragma fencepost init init_deque(&deque)
#pragma fencepost op al = add_left(&deque, any(0, 1))
#pragma fencepost op ar = add_right(&deque, any(0, 1))
#pragma fencepost op rl = remove_left(&deque, out)
#pragma fencepost op rr = remove_right(&deque, out)
#include "deque-tests.h"

#pragma fencepost expect D0, Dq sc, relaxed violated
#pragma fencepost expect Da, Db, Dm sc, relaxed holds
