/* The sequence lock (Lameter 2005, from Linux) with atomic data, as in Boehm's Can Seqlocks Get Along With
 * Programming Language Memory Models? (MSPC 2012). The number is odd while the one writer is at work; a reader
 * starts over if it was odd or has changed.
 *
 * BEGIN and READ_FENCE keep the reader's loads between its two looks at the number, WRITE_FENCE and END the
 * writer's stores between its two stores of it. */
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BEGIN
#define BEGIN memory_order_acquire
#endif
#ifndef READ_FENCE
#define READ_FENCE memory_order_acquire
#endif
#ifndef WRITE_FENCE
#define WRITE_FENCE memory_order_release
#endif
#ifndef END
#define END memory_order_release
#endif

typedef struct pair {
    int first, second;
} pair_t;

atomic_uint number;
atomic_int data[2];

static void write(int value)
{
    unsigned n = atomic_load_explicit(&number, memory_order_relaxed);
    atomic_store_explicit(&number, n + 1, memory_order_relaxed);
    atomic_thread_fence(WRITE_FENCE);
    atomic_store_explicit(&data[0], value, memory_order_relaxed);
    atomic_store_explicit(&data[1], value, memory_order_relaxed);
    atomic_store_explicit(&number, n + 2, END);
}

static pair_t read(void)
{
    pair_t pair;
    while (true) {
        unsigned before = atomic_load_explicit(&number, BEGIN);
        pair.first = atomic_load_explicit(&data[0], memory_order_relaxed);
        pair.second = atomic_load_explicit(&data[1], memory_order_relaxed);
        atomic_thread_fence(READ_FENCE);
        unsigned after = atomic_load_explicit(&number, memory_order_relaxed);
        if (before % 2 == 0 && before == after)
            return pair;
    }
}

#pragma fencepost op w = write(any(1, 2))
#pragma fencepost op r = read()
#pragma fencepost test WR   = ( w | r )
#pragma fencepost test WRR  = ( w | r r )
#pragma fencepost test WWR  = ( w w | r )
#pragma fencepost test Each = ( w | r | r )
#pragma fencepost test Once = ( w w' | r' )
#pragma fencepost expect WR, WRR, WWR, Each, Once sc holds
