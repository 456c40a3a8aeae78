/* The work-stealing deque of Chase and Lev (SPAA 2005) in the C11 version of Lê, Pop, Cohen and Zappa Nardelli
 * (PPoPP 2013). The owner pushes and takes at the bottom, thieves steal at the top; the array grows when it is
 * full. Arrays are never freed.
 *
 * PUSH_FENCE releases a task to the thief that sees the new bottom, and BOTTOM acquires it. TAKE_FENCE and
 * STEAL_FENCE are the two sides of a Dekker: the owner claims the last task and looks at top, a thief looks at top
 * and then at bottom. STEAL releases the cell that the thief has read: rc11 would do without, machines that let a
 * store overtake a load would not, and C11 without rc11's rule against load buffering asks for the acquire of top
 * in push as well. GROW and ARRAY publish a new array. The paper has GROW relaxed, which Norris and Demsky found
 * wrong (CDSChecker, OOPSLA 2013), and both swaps of top seq_cst, which the two fences make unnecessary.
 *
 * A thief that loses a race tries again; the paper has it return ABORT, which no serial execution does. */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef PUSH_FENCE
#define PUSH_FENCE memory_order_release
#endif
#ifndef TAKE_FENCE
#define TAKE_FENCE memory_order_seq_cst
#endif
#ifndef STEAL_FENCE
#define STEAL_FENCE memory_order_seq_cst
#endif
#ifndef STEAL
#define STEAL memory_order_release
#endif
#ifndef GROW
#define GROW memory_order_release
#endif
#ifndef ARRAY
#define ARRAY memory_order_acquire
#endif
#ifndef BOTTOM
#define BOTTOM memory_order_acquire
#endif

enum { EMPTY = 0, INITIAL_SIZE = 1, MAX_SIZE = 4 };

typedef struct array {
    long size;
    atomic_int cells[MAX_SIZE];
} array_t;

atomic_long top, bottom;
_Atomic(array_t *) array;

static array_t *new_array(long size)
{
    array_t *a = malloc(sizeof(array_t));
    assert(size <= MAX_SIZE);
    a->size = size;
    return a;
}

static void init_deque(void)
{
    atomic_init(&array, new_array(INITIAL_SIZE));
}

static array_t *grow(array_t *old, long t, long b)
{
    array_t *a = new_array(2 * old->size);
    for (long i = t; i < b; i++) {
        int task = atomic_load_explicit(&old->cells[i % old->size], memory_order_relaxed);
        atomic_store_explicit(&a->cells[i % a->size], task, memory_order_relaxed);
    }
    atomic_store_explicit(&array, a, GROW);
    return a;
}

static void push(int task)
{
    long b = atomic_load_explicit(&bottom, memory_order_relaxed);
    long t = atomic_load_explicit(&top, memory_order_acquire);
    array_t *a = atomic_load_explicit(&array, memory_order_relaxed);
    if (b - t > a->size - 1)
        a = grow(a, t, b);
    atomic_store_explicit(&a->cells[b % a->size], task, memory_order_relaxed);
    atomic_thread_fence(PUSH_FENCE);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void)
{
    long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    array_t *a = atomic_load_explicit(&array, memory_order_relaxed);
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(TAKE_FENCE);
    long t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return EMPTY;
    }
    int task = atomic_load_explicit(&a->cells[b % a->size], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_relaxed, memory_order_relaxed))
            task = EMPTY;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return task;
}

static int steal(void)
{
    while (true) {
        long t = atomic_load_explicit(&top, memory_order_relaxed);
        atomic_thread_fence(STEAL_FENCE);
        long b = atomic_load_explicit(&bottom, BOTTOM);
        if (t >= b)
            return EMPTY;
        array_t *a = atomic_load_explicit(&array, ARRAY);
        int task = atomic_load_explicit(&a->cells[t % a->size], memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&top, &t, t + 1, STEAL, memory_order_relaxed))
            return task;
    }
}

#pragma fencepost init init_deque()
#pragma fencepost op p = push(any(1, 2))
#pragma fencepost op t = take()
#pragma fencepost op s = steal()
#pragma fencepost test PS   = ( p | s )
#pragma fencepost test TS   = p ( t | s )
#pragma fencepost test TSS  = p ( t | s | s )
#pragma fencepost test PTS  = ( p t | s )
#pragma fencepost test PPS  = p ( p | s )
#pragma fencepost test TTS  = p p ( t t | s )
#pragma fencepost test TTSS = p p ( t t | s' s' )
#pragma fencepost test Grow = p ( p' | s' )
#pragma fencepost test Lap  = p ( p p' | s' )
#pragma fencepost test Two  = p p ( t | s' | s' )
#pragma fencepost expect PS, TS, TSS, PTS, PPS, TTS, TTSS, Grow, Lap, Two sc holds
