/* ENTER(me) and LEAVE(me): a critical section that notices when it is not alone.
 *
 * The paper's property is one of program counters: there is no moment at which both processes are inside. What the
 * section itself writes need not be visible in time ("release semantics" are not enforced). Memory has to stand in
 * for the program counters here, and may neither add order to the algorithm, which would hide its bugs, nor be
 * late itself, which would be a false alarm. So:
 *
 *   ENTER stores the process's name with a plain store, which orders nothing;
 *   LEAVE looks in an atomic block whether it is still there.
 *
 * No violation is missed at the moment when both are inside: however much waits in their store buffers, one can
 * run up to LEAVE and have its name written, then the other writes its own, and the first sees it.
 *
 * No alarm is false: the block of LEAVE waits until the name has left the store buffer, so a name is written while
 * its process is inside, and whoever finds a foreign one shares the section with its writer.
 *
 * What the block costs: on pso it drains the buffer of its own address, so nothing is lost. On tso it drains the
 * whole buffer, so a process that leaves has no store from before left in its buffer. A violation that needs a
 * store to wait for longer than its own critical section is missed.
 *
 * -DGHOST states the property by ghost state, which is outside of the memory model: it adds no order and is never
 * late, so that nothing is missed on any model.
 *
 * These two macros are the only code that is not part of an algorithm. */
#include <assert.h>
#include <fencepost.h>

int inside;

#ifdef GHOST
#define ENTER(me)                \
    do {                         \
        fp_ghost                 \
        {                        \
            assert(inside == 0); \
            inside = 1;          \
        }                        \
    } while (0)
#define LEAVE(me)       \
    do {                \
        fp_ghost        \
        {               \
            inside = 0; \
        }               \
    } while (0)
#else
#define ENTER(me)    \
    do {             \
        inside = me; \
    } while (0)
#define LEAVE(me)                 \
    do {                          \
        fp_atomic                 \
        {                         \
            assert(inside == me); \
        }                         \
    } while (0)
#endif
