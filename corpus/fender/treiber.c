/* The stack of Treiber (1986): a list that grows and shrinks at its top. Nodes are never freed, so that a top
 * which is the same node is the same stack. Fence 1 is the one that all models weaker than tso need. Fence 2 is
 * needed if a thread can read what it stored itself before the loads on which that store depends, as Fencepost's
 * rmo has it: a second pop then looks into a node too early. */
#include <fencepost.h>
#include <stdbool.h>
#include <stdlib.h>
#include "order.h"

typedef struct node {
    struct node *next;
    int value;
} node_t;

typedef struct stack {
    node_t *top;
} stack_t;

static void init_stack(stack_t *stack)
{
    stack->top = 0;
}

static void push(stack_t *stack, int value)
{
    node_t *node = malloc(sizeof(node_t));
    node_t *top;
    node->value = value;
    do {
        top = stack->top;
        node->next = top;
        ORDER(1, "store-store");
    } while (!cas(&stack->top, top, node));
}

static bool pop(stack_t *stack, int *value)
{
    node_t *top;
    do {
        top = stack->top;
        ORDER(2, "load-load");
        if (top == 0)
            return false;
    } while (!cas(&stack->top, top, top->next));
    *value = top->value;
    return true;
}

stack_t stack;

#pragma fencepost init init_stack(&stack)
#pragma fencepost op u = push(&stack, any(1, 2))
#pragma fencepost op o = pop(&stack, out)
#pragma fencepost test UO   = ( u | o )
#pragma fencepost test UU   = ( u u | o )
#pragma fencepost test UOUO = u ( u o | o u )
#pragma fencepost test UUOO = ( u u | o o )
#pragma fencepost test Four = ( u | u | o | o )
#pragma fencepost test Once = ( u' u' | o' o' )
#pragma fencepost test Each = ( u' | u' | o' | o' )

#ifndef UNFENCED
#pragma fencepost expect UO, UU, UOUO, UUOO, Four, Once, Each sc, tso, pso holds
#pragma fencepost expect UO, Once, Each rmo holds
#else
#pragma fencepost expect UO, UUOO, Four sc, tso holds
#pragma fencepost expect UO, UUOO, Four pso, rmo violated
#endif
