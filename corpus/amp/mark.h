/* A reference and a mark that change together, in one word: the mark is the lowest bit. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic(uintptr_t) markable_t;

static inline uintptr_t pack(void *reference, bool mark) { return (uintptr_t)reference | mark; }
static inline void *reference(uintptr_t word) { return (void *)(word & ~(uintptr_t)1); }
static inline bool is_marked(uintptr_t word) { return word & 1; }

/* Replaces reference and mark if both are as expected. */
static inline bool swap(markable_t *at, void *old, bool old_mark, void *new, bool new_mark)
{
    uintptr_t expected = pack(old, old_mark);
    return atomic_compare_exchange_strong(at, &expected, pack(new, new_mark));
}

/* Sets the mark if the reference is as expected. This succeeds also if the mark was set before, so that success does
 * not tell who set it. */
static inline bool attempt_mark(markable_t *at, void *expected)
{
    uintptr_t word = *at;
    if (reference(word) != expected)
        return false;
    return is_marked(word) || swap(at, expected, false, expected, true);
}
