/* A reentrant spin lock that says whether it is held. A holder is known by a place of its own, such as a local variable
 * of the operation it runs.
 *
 * -DFAIR serves those who wait in the order in which they came. Tickets start anew after TICKETS, of which there must be
 * more than threads, so that a lock has few states. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifdef FAIR
#include <fencepost.h>
#endif

enum { TICKETS = 4 };

typedef struct reentrant {
    _Atomic(int *) holder;
    int times; /* how often the holder holds it; only the holder reads and writes this */
#ifdef FAIR
    atomic_int tickets; /* the next one to give out */
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
        int ticket;
        fp_atomic
        {
            ticket = lock->tickets;
            lock->tickets = (ticket + 1) % TICKETS;
        }
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
        lock->serving = (lock->serving + 1) % TICKETS;
#endif
    }
}

static inline bool reentrant_is_held(reentrant_t *lock)
{
    return lock->holder != 0;
}
