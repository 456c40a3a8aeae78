/* The bounded queue of Vyukov (1024cores, 2010) for any number of producers and consumers. Each cell has a sequence
 * number that says whose turn it is: its position if it is free, one more if it is filled.
 *
 * FILL releases a value, FILLED acquires it; FREE releases a cell that has been read, FREED acquires it. The
 * positions only hand out cells, so they are relaxed.
 *
 * A call may find nothing behind a slower call that has its cell already, although it came after one that is done;
 * no serial execution does. So no thread here enqueues and then dequeues beside another producer, nor the other way
 * round. */
#include <stdatomic.h>
#include <stdbool.h>

#ifndef FILL
#define FILL memory_order_release
#endif
#ifndef FILLED
#define FILLED memory_order_acquire
#endif
#ifndef FREE
#define FREE memory_order_release
#endif
#ifndef FREED
#define FREED memory_order_acquire
#endif

enum { SIZE = 2 };

typedef struct cell {
    atomic_uint sequence;
    int value;
} cell_t;

cell_t cells[SIZE];
atomic_uint enqueue_at, dequeue_at;

static void init_ring(void)
{
    for (unsigned i = 0; i < SIZE; i++)
        atomic_init(&cells[i].sequence, i);
}

static bool enqueue(int value)
{
    unsigned at = atomic_load_explicit(&enqueue_at, memory_order_relaxed);
    while (true) {
        cell_t *cell = &cells[at % SIZE];
        int ahead = (int)(atomic_load_explicit(&cell->sequence, FREED) - at);
        if (ahead < 0)
            return false;
        if (ahead > 0) {
            at = atomic_load_explicit(&enqueue_at, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(&enqueue_at, &at, at + 1, memory_order_relaxed,
                                                         memory_order_relaxed)) {
            cell->value = value;
            atomic_store_explicit(&cell->sequence, at + 1, FILL);
            return true;
        }
    }
}

static bool dequeue(int *value)
{
    unsigned at = atomic_load_explicit(&dequeue_at, memory_order_relaxed);
    while (true) {
        cell_t *cell = &cells[at % SIZE];
        int ahead = (int)(atomic_load_explicit(&cell->sequence, FILLED) - (at + 1));
        if (ahead < 0)
            return false;
        if (ahead > 0) {
            at = atomic_load_explicit(&dequeue_at, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(&dequeue_at, &at, at + 1, memory_order_relaxed,
                                                         memory_order_relaxed)) {
            *value = cell->value;
            atomic_store_explicit(&cell->sequence, at + SIZE, FREE);
            return true;
        }
    }
}

#pragma fencepost init init_ring()
#pragma fencepost op e = enqueue(any(1, 2))
#pragma fencepost op d = dequeue(out)
#pragma fencepost test ED   = ( e | d )
#pragma fencepost test EED  = ( e | e | d )
#pragma fencepost test EDD  = e ( e | d | d )
#pragma fencepost test EEDD = ( e e | d d )
#pragma fencepost test Full = e e ( e | d )
#pragma fencepost test Once = e' ( e' | d' | d' )
#pragma fencepost expect ED, EED, EDD, EEDD, Full, Once sc holds
