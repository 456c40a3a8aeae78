/* fencepost.h: what C has no words for.
 *
 * Under Fencepost (__FENCEPOST__ is defined) these are primitives of the checker. Any other C11 compiler
 * gets code that does the same on its machine, so that a file stays an ordinary C file.
 *
 *   fence("load-load")      keeps loads before it before loads after it; likewise "load-store",
 *                           "store-load", "store-store", and "full" for all four
 *   cas(p, old, new)        compare-and-swap without any fence; not zero if it swapped
 *   dcas(p, q, old_p, old_q, new_p, new_q)   the same on two places at once
 *   fp_atomic { ... }       runs in order and uninterrupted
 *   fp_ghost { ... }        the same for what only a specification remembers: it happens at once, outside of the memory
 *                           model, and orders nothing. Use its variables nowhere else. On sc, tso and pso
 *   lock(&l), unlock(&l)    a spin lock of type lock_t, initially all zero
 *   assume(e)               executions in which e does not hold are not looked at
 *   fp_any(a, b, ...)       any of these constants
 *   fp_hash(x)              x; with -DFP_HASH_DOMAIN=n -DFP_HASH_RANGE=m any function from 0..n-1 to 0..m-1 (m at
 *                           most 8), chosen once for each execution, so that all collisions are looked at
 *
 * Each has a second name that starts with fp_. Define FENCEPOST_LONG_NAMES to have only those. */
#ifndef FENCEPOST_H
#define FENCEPOST_H

#ifdef __FENCEPOST__

#define fp_fence(kind) __fencepost_fence(kind)
#define fp_cas(p, old_value, new_value) __fencepost_cas((p), (old_value), (new_value))
#define fp_dcas(p, q, old_p, old_q, new_p, new_q) \
    __fencepost_dcas((p), (q), (old_p), (old_q), (new_p), (new_q))
#define fp_atomic __fencepost_atomic
#define fp_ghost __fencepost_ghost
#define fp_assume(e) __fencepost_assume(!!(e))
#define fp_assert(e) __fencepost_assert(!!(e), #e)
#define fp_any(...) __fencepost_choose(__VA_ARGS__)

#else

#include <stdlib.h>

static inline void fp_fence(const char *kind)
{
    if (kind[0] == 'l')
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    else if (kind[0] == 's' && kind[6] == 's')
        __atomic_thread_fence(__ATOMIC_RELEASE);
    else
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#define fp_cas(p, old_value, new_value)                                                             \
    __extension__({                                                                                 \
        __typeof__(*(p)) fp_old = (__typeof__(*(p)))(old_value);                                     \
        __atomic_compare_exchange_n((p), &fp_old, (__typeof__(*(p)))(new_value), 0, __ATOMIC_RELAXED, \
                                    __ATOMIC_RELAXED);                                              \
    })

/* One lock for all blocks: they exclude each other, but not accesses outside of any block. */
static int fp_block_lock;
static inline int fp_block_begin(void)
{
    while (__atomic_exchange_n(&fp_block_lock, 1, __ATOMIC_ACQUIRE))
        ;
    return 1;
}
static inline void fp_block_end(int *guard)
{
    (void)guard;
    __atomic_store_n(&fp_block_lock, 0, __ATOMIC_RELEASE);
}
#define fp_atomic                                                                                     \
    for (int fp_guard __attribute__((cleanup(fp_block_end))) = fp_block_begin(), fp_once = 1; fp_once; \
         fp_once = 0, (void)fp_guard)

#define fp_ghost fp_atomic

#define fp_dcas(p, q, old_p, old_q, new_p, new_q)                     \
    __extension__({                                                   \
        int fp_swapped = 0;                                           \
        fp_atomic                                                     \
        {                                                             \
            if (*(p) == (__typeof__(*(p)))(old_p) &&                   \
                *(q) == (__typeof__(*(q)))(old_q)) {                   \
                *(p) = (__typeof__(*(p)))(new_p);                      \
                *(q) = (__typeof__(*(q)))(new_q);                      \
                fp_swapped = 1;                                       \
            }                                                         \
        }                                                             \
        fp_swapped;                                                   \
    })

#define fp_assume(e) ((e) ? (void)0 : abort())
#define fp_assert(e) ((e) ? (void)0 : abort())
#define fp_any(first, ...) (first)

#endif

/* As in the SPARC v9 architecture manual: an atomic load-store, and partial fences. */
typedef enum { fp_lock_free, fp_lock_held } fp_lock_t;

static inline void fp_lock(fp_lock_t *l)
{
    fp_lock_t held;
    do {
        fp_atomic
        {
            held = *l;
            *l = fp_lock_held;
        }
    } while (held != fp_lock_free);
    fp_fence("load-load");
    fp_fence("load-store");
}

static inline void fp_unlock(fp_lock_t *l)
{
    fp_fence("load-store");
    fp_fence("store-store");
    fp_atomic
    {
        fp_assert(*l == fp_lock_held);
        *l = fp_lock_free;
    }
}

#if defined __FENCEPOST__ && defined FP_HASH_DOMAIN
#if FP_HASH_RANGE == 1
#define FP_HASH_VALUE 0
#elif FP_HASH_RANGE == 2
#define FP_HASH_VALUE fp_any(0, 1)
#elif FP_HASH_RANGE == 3
#define FP_HASH_VALUE fp_any(0, 1, 2)
#elif FP_HASH_RANGE == 4
#define FP_HASH_VALUE fp_any(0, 1, 2, 3)
#elif FP_HASH_RANGE == 5
#define FP_HASH_VALUE fp_any(0, 1, 2, 3, 4)
#elif FP_HASH_RANGE == 6
#define FP_HASH_VALUE fp_any(0, 1, 2, 3, 4, 5)
#elif FP_HASH_RANGE == 7
#define FP_HASH_VALUE fp_any(0, 1, 2, 3, 4, 5, 6)
#elif FP_HASH_RANGE == 8
#define FP_HASH_VALUE fp_any(0, 1, 2, 3, 4, 5, 6, 7)
#else
#error FP_HASH_RANGE is a number from 1 to 8
#endif
static unsigned fp_hash_of[FP_HASH_DOMAIN];
static inline void fp_hash_choose(void)
{
    for (int x = 0; x < FP_HASH_DOMAIN; x++)
        fp_hash_of[x] = FP_HASH_VALUE;
}
#pragma fencepost init fp_hash_choose()
#define fp_hash(x) fp_hash_of[x]
#else
#define fp_hash(x) (x)
#endif

#ifndef FENCEPOST_LONG_NAMES
#define fence(kind) fp_fence(kind)
#define cas(p, old_value, new_value) fp_cas(p, old_value, new_value)
#define dcas(p, q, old_p, old_q, new_p, new_q) fp_dcas(p, q, old_p, old_q, new_p, new_q)
#define assume(e) fp_assume(e)
#define lock_t fp_lock_t
#define lock(l) fp_lock(l)
#define unlock(l) fp_unlock(l)
#endif

#endif
