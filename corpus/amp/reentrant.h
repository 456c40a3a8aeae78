/* A reentrant spin lock that says whether it is held. A holder is known by a place of its own, such as a local variable
 * of the operation it runs.
 *
 * -DFAIR serves those who wait in the order in which they came. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct reentrant {
    _Atomic(int *) holder;
    int times; /* how often the holder holds it; only the holder reads and writes this */
#ifdef FAIR
    atomic_int tickets; /* given out so far */
    atomic_int serving;
#endif
} reentrant_t;

static inline reentrant_t *new_reentrant(void)
{
    return calloc(1, sizeof(reentrant_t));
}

static inline void reentrant_lock(reentrant_t *lock, int *me)
{
    if (lock->holder != me) {
#ifdef FAIR
        int ticket = atomic_fetch_add(&lock->tickets, 1);
        while (lock->serving != ticket)
            ;
        lock->holder = me;
#else
        int *nobody;
        do
            nobody = 0;
        while (!atomic_compare_exchange_strong(&lock->holder, &nobody, me));
#endif
    }
    lock->times++;
}

static inline void reentrant_unlock(reentrant_t *lock)
{
    lock->times--;
    if (!lock->times) {
        lock->holder = 0;
#ifdef FAIR
        atomic_fetch_add(&lock->serving, 1);
#endif
    }
}

static inline bool reentrant_is_held(reentrant_t *lock)
{
    return lock->holder != 0;
}
