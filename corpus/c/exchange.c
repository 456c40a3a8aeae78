/* The arguments of an atomic operation are evaluated before what they point to is read. */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#pragma fencepost expect main sc holds

static _Atomic int word = 3;
static int expected = 7, plain = 3, desired = 1, old;

static int expect(int value, int result)
{
    expected = value;
    return result;
}

static int *want(int value)
{
    desired = value;
    return &desired;
}

int main(void)
{
    assert(atomic_compare_exchange_strong(&word, &expected, expect(3, 9)) && word == 9);
    assert(!atomic_compare_exchange_strong(&word, &expected, expect(4, 5)) && expected == 9);
    assert(__atomic_compare_exchange(&plain, &expected, want(expect(3, 8)), 0, 5, 5) && plain == 8);
    __atomic_exchange(&plain, want(6), &old, 5);
    assert(plain == 6 && old == 8);
    assert(__sync_val_compare_and_swap(&plain, 6, 2) == 6 && __sync_fetch_and_nand(&plain, 3) == 2);
    assert(plain == ~2);
    assert(__atomic_always_lock_free(1, 0) && __atomic_always_lock_free(8, 0));
    assert(!__atomic_always_lock_free(16, 0) && !__atomic_always_lock_free(3, 0));
    void *memory = &word;
    assert(posix_memalign(&memory, 24, 8) == 22 && memory == &word);
    assert(posix_memalign(&memory, 4, 8) == 22 && memory == &word);
    assert(posix_memalign(&memory, 16, 8) == 0 && memory != &word);
    *(int *)memory = 1;
    free(memory);
    return 0;
}
