/* An asymmetric Dekker (Dice, Huang and Yang 2001; biased locks): the owner of the bias enters often and has the
 * light fence, another thread takes the bias away once, for ever, and has the heavy one. Systems make the light
 * fence a compiler's and the heavy one an interrupt of all processors (membarrier); in C11 both are seq_cst fences.
 *
 * LIGHT and HEAVY put each thread's announcement before its look at the other's. LEAVE releases what the owner did,
 * REVOKE acquires it. The owner's look needs no order: nobody lets it in again. */
#include <stdatomic.h>
#include <stdbool.h>
#include "threads.h"

#ifndef LIGHT
#define LIGHT memory_order_seq_cst
#endif
#ifndef HEAVY
#define HEAVY memory_order_seq_cst
#endif
#ifndef LEAVE
#define LEAVE memory_order_release
#endif
#ifndef REVOKE
#define REVOKE memory_order_acquire
#endif

enum { ROUNDS = 2 };

atomic_bool inside, revoked;
int counter, times;

static void *owner(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store_explicit(&inside, true, memory_order_relaxed);
        atomic_thread_fence(LIGHT);
        if (!atomic_load_explicit(&revoked, memory_order_relaxed)) {
            counter++;
            times++;
        }
        atomic_store_explicit(&inside, false, LEAVE);
    }
    return unused;
}

static void *revoker(void *unused)
{
    atomic_store_explicit(&revoked, true, memory_order_relaxed);
    atomic_thread_fence(HEAVY);
    while (atomic_load_explicit(&inside, REVOKE))
        ;
    counter++;
    return unused;
}

int main(void)
{
    run(owner, revoker, 0);
    assert(counter == times + 1);
    return 0;
}

#pragma fencepost expect main sc holds
