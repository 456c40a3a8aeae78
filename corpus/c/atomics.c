/* Every atomic operation of C11, in one thread. */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#pragma fencepost expect main sc holds

struct pair {
    int32_t a, b;
};

static atomic_int global = ATOMIC_VAR_INIT(5);
static _Atomic(struct pair) both;
static _Atomic(int *) pointer;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int cells[4] = {1, 2, 3, 4};

static void operators(void)
{
    _Atomic int i = 3;
    assert(i == 3 && i++ == 3 && ++i == 5 && i-- == 5 && --i == 3);
    assert((i += 4) == 7 && (i -= 2) == 5 && (i *= 3) == 15 && (i /= 2) == 7 && (i %= 4) == 3);
    assert((i <<= 3) == 24 && (i >>= 1) == 12 && (i |= 3) == 15 && (i &= 6) == 6 && (i ^= 5) == 3);
    _Atomic unsigned char c = 255;
    assert(c++ == 255 && c == 0 && --c == 255 && (c += 2) == 1);
    _Atomic _Bool b = 7;
    assert(b == 1);
    b = 0;
    assert(!b);
    _Atomic int8_t s = 127;
    s++;
    assert(s == -128);
    pointer = cells;
    pointer++;
    assert(*pointer == 2 && (pointer += 2) == &cells[3] && pointer-- == &cells[3]);
}

static void functions(void)
{
    assert(atomic_load(&global) == 5);
    atomic_store(&global, 6);
    assert(atomic_exchange(&global, 7) == 6);
    assert(atomic_fetch_add(&global, 3) == 7 && atomic_fetch_sub(&global, 1) == 10);
    assert(atomic_fetch_or(&global, 6) == 9 && atomic_fetch_and(&global, 11) == 15);
    assert(atomic_fetch_xor(&global, 1) == 11 && global == 10);
    int expected = 9;
    assert(!atomic_compare_exchange_strong(&global, &expected, 1) && expected == 10 && global == 10);
    assert(atomic_compare_exchange_strong(&global, &expected, 1) && expected == 10 && global == 1);
    while (!atomic_compare_exchange_weak(&global, &expected, expected + 1))
        ;
    assert(global == 2 && expected == 1);
    atomic_init(&global, 40);
    assert(atomic_load_explicit(&global, memory_order_relaxed) == 40);
    atomic_store_explicit(&global, 41, memory_order_release);
    assert(atomic_fetch_add_explicit(&global, 1, memory_order_acq_rel) == 41);
    assert(atomic_exchange_explicit(&global, 50, memory_order_acquire) == 42);
    expected = 50;
    assert(atomic_compare_exchange_strong_explicit(&global, &expected, 51, memory_order_acq_rel,
                                                   memory_order_acquire));
    assert(global == 51);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acquire);
    assert(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    assert(!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));

    atomic_store(&pointer, cells);
    assert(atomic_exchange(&pointer, cells + 2) == cells && *atomic_load(&pointer) == 3);
    _Atomic uint8_t small = 250;
    assert(atomic_fetch_add(&small, 10) == 250 && small == 4);
    _Atomic int64_t large = -1;
    assert(atomic_fetch_add(&large, -1) == -1 && large == -2);
    atomic_bool done = false;
    assert(!atomic_exchange(&done, true) && done);
}

static void records(void)
{
    struct pair p = {1, 2};
    both = p;
    struct pair q = both;
    assert(q.a == 1 && q.b == 2);
    q.b = 3;
    assert(!atomic_compare_exchange_strong(&both, &q, p) && q.b == 2);
    struct pair next = {q.a + 1, q.b + 1};
    assert(atomic_compare_exchange_strong(&both, &q, next));
    struct pair old = atomic_exchange(&both, p);
    assert(old.a == 2 && old.b == 3 && atomic_load(&both).b == 2);
}

int main(void)
{
    operators();
    functions();
    records();
    return 0;
}
