/* Snark as corrected by Doherty, Detlefs, Groves, Flood, Luchangco, Martin, Moir, Shavit and Steele (SPAA
 * 2004); snark.c is the original. A removal that sees an empty deque makes sure that it looked at the hat
 * that still is worn, and whoever removes a node must also claim its value: of two removals that take the
 * last node from both sides, one comes too late and finds the deque empty. */
#include <fencepost.h>
#include <stdbool.h>
#include <stdlib.h>
#include "order.h"

typedef int value_t;

/* The value of a node whose own is taken. */
#define TAKEN (-1)

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
        node_t *inward = left_hat->right;
        if (left_hat->left == left_hat) {
            ORDER(8, "load-load");
            if (deque->left_hat == left_hat)
                return false;
        } else if (dcas(&deque->left_hat, &left_hat->right, left_hat, inward, inward, left_hat)) {
            value_t found = left_hat->value;
            if (found == TAKEN)
                return false;
            if (cas(&left_hat->value, found, TAKEN)) {
                *value = found;
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
        node_t *inward = right_hat->left;
        if (right_hat->right == right_hat) {
            ORDER(10, "load-load");
            if (deque->right_hat == right_hat)
                return false;
        } else if (dcas(&deque->right_hat, &right_hat->left, right_hat, inward, inward, right_hat)) {
            value_t found = right_hat->value;
            if (found == TAKEN)
                return false;
            if (cas(&right_hat->value, found, TAKEN)) {
                *value = found;
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

#ifndef UNFENCED
#pragma fencepost expect D0, Da, Dm sc, tso, pso, rmo, relaxed holds
#pragma fencepost expect Db, Dq relaxed holds
#else
#pragma fencepost expect D0, Da, Dm sc, tso holds
#pragma fencepost expect D0, Dm pso, rmo, relaxed violated
#pragma fencepost expect Da pso holds
#pragma fencepost expect Da rmo, relaxed violated
#endif
