/* A deque for one thread at a time: what the concurrent ones must look like. For --reference. */
#include <stdbool.h>

#define CAPACITY 16

/* The values stand from `left` up to, and without, `right`, counted around. */
typedef struct deque {
    int values[CAPACITY];
    unsigned left, right;
} deque_t;

static void add_left(deque_t *deque, int value)
{
    deque->values[--deque->left % CAPACITY] = value;
}

static void add_right(deque_t *deque, int value)
{
    deque->values[deque->right++ % CAPACITY] = value;
}

static bool remove_left(deque_t *deque, int *value)
{
    if (deque->left == deque->right)
        return false;
    *value = deque->values[deque->left++ % CAPACITY];
    return true;
}

static bool remove_right(deque_t *deque, int *value)
{
    if (deque->left == deque->right)
        return false;
    *value = deque->values[--deque->right % CAPACITY];
    return true;
}

deque_t deque;

#pragma fencepost op al = add_left(&deque, any(0, 1))
#pragma fencepost op ar = add_right(&deque, any(0, 1))
#pragma fencepost op rl = remove_left(&deque, out)
#pragma fencepost op rr = remove_right(&deque, out)
#include "deque-tests.h"

#pragma fencepost expect D0, Da, Db serial holds
