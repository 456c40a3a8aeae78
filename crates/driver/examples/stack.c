/* Treiber's stack, which does not free its nodes. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct node {
    int value;
    struct node *next;
} node_t;

_Atomic(node_t *) top;

void push(int value)
{
    node_t *node = malloc(sizeof *node), *old = top;
    node->value = value;
    do {
        node->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, node));
}

bool pop(int *out)
{
    node_t *old = top;
    do {
        if (!old)
            return false;
    } while (!atomic_compare_exchange_strong(&top, &old, old->next));
    *out = old->value;
    return true;
}

#pragma fencepost op push = push(any(0, 1))
#pragma fencepost op pop = pop(out)
#pragma fencepost oracle stack
