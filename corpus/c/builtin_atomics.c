/* GCC's __atomic_* and __sync_* functions, in one thread. */
#include <assert.h>
#include <stdint.h>
#pragma fencepost expect main sc holds

static int x;
static long l;
static short h;
static unsigned char c;
static int cells[3] = {1, 2, 3};
static int *p = cells;

static void atomic_functions(void)
{
    __atomic_store_n(&x, 3, __ATOMIC_RELEASE);
    assert(__atomic_load_n(&x, __ATOMIC_ACQUIRE) == 3);
    int value = 4, old;
    __atomic_store(&x, &value, __ATOMIC_SEQ_CST);
    __atomic_load(&x, &old, __ATOMIC_SEQ_CST);
    assert(old == 4);
    value = 5;
    __atomic_exchange(&x, &value, &old, __ATOMIC_SEQ_CST);
    assert(old == 4 && x == 5 && __atomic_exchange_n(&x, 6, __ATOMIC_ACQ_REL) == 5);
    assert(__atomic_add_fetch(&x, 4, __ATOMIC_RELAXED) == 10 && __atomic_fetch_add(&x, 1, 5) == 10);
    assert(__atomic_sub_fetch(&x, 1, 5) == 10 && __atomic_fetch_sub(&x, 3, 5) == 10 && x == 7);
    assert(__atomic_and_fetch(&x, 6, 5) == 6 && __atomic_fetch_and(&x, 3, 5) == 6 && x == 2);
    assert(__atomic_or_fetch(&x, 9, 5) == 11 && __atomic_fetch_or(&x, 4, 5) == 11 && x == 15);
    assert(__atomic_xor_fetch(&x, 1, 5) == 14 && __atomic_fetch_xor(&x, 2, 5) == 14 && x == 12);
    assert(__atomic_nand_fetch(&x, 4, 5) == -5 && __atomic_fetch_nand(&x, 1, 5) == -5 && x == -2);
    old = 0;
    assert(!__atomic_compare_exchange_n(&x, &old, 1, 0, 5, 5) && old == -2);
    assert(__atomic_compare_exchange_n(&x, &old, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) && x == 1);
    old = 1;
    value = 2;
    assert(__atomic_compare_exchange(&x, &old, &value, 0, 5, 0) && x == 2);
    assert(!__atomic_test_and_set(&c, 5) && c && __atomic_test_and_set(&c, 5));
    __atomic_clear(&c, __ATOMIC_RELEASE);
    assert(!c);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    assert(__atomic_always_lock_free(sizeof(int), 0));
    assert(__atomic_fetch_add(&p, 4, 5) == cells && *p == 2);
    c = 200;
    assert(__atomic_add_fetch(&c, 100, 5) == 44 && __atomic_fetch_sub(&c, 45, 5) == 44 && c == 255);
    h = 32767;
    assert(__atomic_add_fetch(&h, 1, 5) == -32768);
}

static void sync_functions(void)
{
    x = 5;
    assert(__sync_fetch_and_add(&x, 2) == 5 && __sync_add_and_fetch(&x, 2) == 9);
    assert(__sync_fetch_and_sub(&x, 1) == 9 && __sync_sub_and_fetch(&x, 1) == 7);
    assert(__sync_fetch_and_or(&x, 8) == 7 && __sync_or_and_fetch(&x, 16) == 31);
    assert(__sync_fetch_and_and(&x, 7) == 31 && __sync_and_and_fetch(&x, 5) == 5);
    assert(__sync_fetch_and_xor(&x, 1) == 5 && __sync_xor_and_fetch(&x, 3) == 7);
    assert(__sync_bool_compare_and_swap(&x, 7, 8) && !__sync_bool_compare_and_swap(&x, 7, 9));
    assert(__sync_val_compare_and_swap(&x, 8, 9) == 8 && __sync_val_compare_and_swap(&x, 1, 2) == 9);
    __sync_synchronize();
    assert(__sync_lock_test_and_set(&x, 1) == 9);
    __sync_lock_release(&x);
    assert(x == 0);
    l = -1;
    assert(__sync_fetch_and_add(&l, 1) == -1 && l == 0);
    assert(__sync_bool_compare_and_swap(&p, &cells[1], &cells[2]) && *p == 3);
    assert(__sync_fetch_and_nand(&x, 1) == 0 && x == -1);
}

int main(void)
{
    atomic_functions();
    sync_functions();
    return 0;
}
