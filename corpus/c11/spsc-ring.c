/* The ring of Lamport (1983) for one producer and one consumer, as C11. Each index is written by one side; the
 * cells are plain.
 *
 * PRODUCE releases a value, FILLED acquires it. CONSUME releases a cell that has been read, FREED acquires it
 * before it is written again. Each side knows its own index. */
#include <stdatomic.h>
#include <stdbool.h>

#ifndef PRODUCE
#define PRODUCE memory_order_release
#endif
#ifndef FILLED
#define FILLED memory_order_acquire
#endif
#ifndef CONSUME
#define CONSUME memory_order_release
#endif
#ifndef FREED
#define FREED memory_order_acquire
#endif

enum { SIZE = 1 };

int cells[SIZE];
atomic_uint head, tail;

static bool produce(int value)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
    if (t - atomic_load_explicit(&head, FREED) == SIZE)
        return false;
    cells[t % SIZE] = value;
    atomic_store_explicit(&tail, t + 1, PRODUCE);
    return true;
}

static bool consume(int *value)
{
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    if (atomic_load_explicit(&tail, FILLED) == h)
        return false;
    *value = cells[h % SIZE];
    atomic_store_explicit(&head, h + 1, CONSUME);
    return true;
}

#pragma fencepost op p = produce(any(1, 2))
#pragma fencepost op c = consume(out)
#pragma fencepost test PC   = ( p | c )
#pragma fencepost test PPC  = p ( p | c )
#pragma fencepost test PPCC = ( p p | c c )
#pragma fencepost test Lap  = p ( p p | c c )
#pragma fencepost expect PC, PPC, PPCC, Lap sc holds
