/* The lock-free stack of chapter 11, which is Treiber's, with nodes that are used again, as in section 10.6: whatever is
 * popped may be pushed next. The top is one word: a node's number and a stamp, which counts how often the top has
 * changed, so that a top which is the same word is the same stack.
 *
 * -DUNSTAMPED leaves the stamp out: pop can take a node that was popped and pushed meanwhile for the one it read (ABA). */
#include <fencepost.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef NODES
#define NODES 8
#endif

/* Nodes are numbered from 1; no node is 0. */
typedef struct node {
    int value;
    _Atomic bool used;
    _Atomic uint16_t next;
} node_t;

typedef struct stack {
    _Atomic uint32_t top;
    node_t nodes[NODES + 1];
} stack_t;

static void init_stack(stack_t *stack)
{
    atomic_store_explicit(&stack->top, 0, memory_order_relaxed);
    for (int node = 1; node <= NODES; node++)
        atomic_store_explicit(&stack->nodes[node].used, false, memory_order_relaxed);
}

/* A node that is not in use. There must be one left. */
static uint16_t new_node(stack_t *stack)
{
    uint16_t node = fp_any(1, 2);
    while (atomic_exchange(&stack->nodes[node].used, true))
        node = node % NODES + 1;
    return node;
}

static uint16_t number(uint32_t top)
{
    return top & 0xffff;
}

/* A top that follows another one. */
static uint32_t after(uint32_t top, uint16_t node)
{
#ifdef UNSTAMPED
    (void)top;
    return node;
#else
    return ((top >> 16) + 1) << 16 | node;
#endif
}

static void push(stack_t *stack, int value)
{
    uint16_t node = new_node(stack);
    uint32_t top = stack->top;
    stack->nodes[node].value = value;
    do {
        atomic_store_explicit(&stack->nodes[node].next, number(top), memory_order_relaxed);
    } while (!atomic_compare_exchange_strong(&stack->top, &top, after(top, node)));
}

static bool pop(stack_t *stack, int *out)
{
    uint32_t top = stack->top;
    while (number(top)) {
        node_t *node = &stack->nodes[number(top)];
        uint16_t next = node->next;
        if (atomic_compare_exchange_strong(&stack->top, &top, after(top, next))) {
            *out = node->value;
            node->used = false;
            return true;
        }
    }
    return false;
}

stack_t s;

#pragma fencepost init init_stack(&s)
#pragma fencepost op u = push(&s, any(0, 1))
#pragma fencepost op o = pop(&s, out)
#pragma fencepost oracle stack
#pragma fencepost test Seq = ( u u o o )
#pragma fencepost test UO  = ( u | o )
#pragma fencepost test OO  = u u ( o | o )
#pragma fencepost test ABA = u u ( o o | o o u )
#pragma fencepost expect Seq, UO, OO sc holds
#ifdef UNSTAMPED
#pragma fencepost expect ABA sc violated
#else
#pragma fencepost expect ABA sc holds
#endif
