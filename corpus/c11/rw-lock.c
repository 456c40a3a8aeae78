/* A reader-writer lock in one word (Courtois, Heymans and Parnas 1971 for the problem): the number of readers, or
 * -1 for a writer.
 *
 * WRITE_LEAVE releases to readers and writers, READ_ENTER and WRITE_ENTER acquire. READ_LEAVE releases, too: the
 * next writer must come behind the reads. Readers that leave one after the other are one release sequence. */
#include <stdatomic.h>
#include "threads.h"

#ifndef READ_ENTER
#define READ_ENTER memory_order_acquire
#endif
#ifndef READ_LEAVE
#define READ_LEAVE memory_order_release
#endif
#ifndef WRITE_ENTER
#define WRITE_ENTER memory_order_acquire
#endif
#ifndef WRITE_LEAVE
#define WRITE_LEAVE memory_order_release
#endif

atomic_int state;
int x, y;

static void read_lock(void)
{
    int readers;
    do {
        while ((readers = atomic_load_explicit(&state, memory_order_relaxed)) < 0)
            ;
    } while (!atomic_compare_exchange_weak_explicit(&state, &readers, readers + 1, READ_ENTER, memory_order_relaxed));
}

static void read_unlock(void)
{
    atomic_fetch_sub_explicit(&state, 1, READ_LEAVE);
}

static void write_lock(void)
{
    int nobody;
    do {
        while ((nobody = atomic_load_explicit(&state, memory_order_relaxed)) != 0)
            ;
    } while (!atomic_compare_exchange_weak_explicit(&state, &nobody, -1, WRITE_ENTER, memory_order_relaxed));
}

static void write_unlock(void)
{
    atomic_store_explicit(&state, 0, WRITE_LEAVE);
}

static void *reader(void *unused)
{
    read_lock();
    int a = x, b = y;
    read_unlock();
    assert(a == b);
    return unused;
}

static void *writer(void *unused)
{
    write_lock();
    x++;
    y++;
    write_unlock();
    return unused;
}

#ifndef WRITERS
#define WRITERS 1
#endif

int main(void)
{
    run(reader, writer, WRITERS == 2 ? writer : 0);
    assert(x == WRITERS && y == WRITERS);
    return 0;
}

#pragma fencepost expect main sc holds
