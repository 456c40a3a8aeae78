/* Threads and locks, as pthread.h and threads.h both need them. */
#ifndef FENCEPOST_THREADS_H
#define FENCEPOST_THREADS_H

struct fencepost_thread {
    void *result;
    int code;
    int finished;
};

static inline void fencepost_finish(struct fencepost_thread *self)
{
    __fencepost_fence("full");
    self->finished = 1;
}

/* Waits for the thread to finish; what it did is then visible. */
static inline void fencepost_join(struct fencepost_thread *thread)
{
    __fencepost_assume(thread->finished);
    __fencepost_fence("full");
}

struct fencepost_mutex {
    int held;
};

static inline void fencepost_mutex_lock(struct fencepost_mutex *mutex)
{
    __fencepost_atomic
    {
        __fencepost_assume(!mutex->held);
        mutex->held = 1;
    }
    __fencepost_fence("load-load");
    __fencepost_fence("load-store");
}

static inline int fencepost_mutex_trylock(struct fencepost_mutex *mutex)
{
    int held;
    __fencepost_atomic
    {
        held = mutex->held;
        mutex->held = 1;
    }
    __fencepost_fence("load-load");
    __fencepost_fence("load-store");
    return held;
}

static inline void fencepost_mutex_unlock(struct fencepost_mutex *mutex)
{
    __fencepost_fence("load-store");
    __fencepost_fence("store-store");
    __fencepost_atomic
    {
        __fencepost_assert(mutex->held, "the mutex is held");
        mutex->held = 0;
    }
}

/* A condition variable: a bit for each thread that sleeps on it, and for each that was woken and has not noticed
 * yet. Nobody wakes up without reason. */
struct fencepost_condition {
    unsigned sleeping;
    unsigned woken;
};

/* Whoever calls this holds the mutex, so that no wake-up under the mutex gets lost between the two steps. */
static inline unsigned fencepost_condition_sleep(struct fencepost_condition *condition, struct fencepost_mutex *mutex)
{
    unsigned me, taken;
    __fencepost_caveat("wake-ups of condition variables without reason");
    __fencepost_atomic
    {
        taken = condition->sleeping | condition->woken;
        me = ~taken & (taken + 1);
        __fencepost_assert(me <= 128, "at most eight threads sleep on a condition variable");
        condition->sleeping = condition->sleeping | me;
    }
    fencepost_mutex_unlock(mutex);
    return me;
}

static inline void fencepost_condition_wait(struct fencepost_condition *condition, struct fencepost_mutex *mutex)
{
    unsigned me = fencepost_condition_sleep(condition, mutex);
    __fencepost_atomic
    {
        __fencepost_assume((condition->woken & me) != 0);
        condition->woken = condition->woken & ~me;
    }
    fencepost_mutex_lock(mutex);
}

/* Waits, or gives up whenever it likes; says whether it was woken. */
static inline int fencepost_condition_timedwait(struct fencepost_condition *condition, struct fencepost_mutex *mutex)
{
    unsigned me = fencepost_condition_sleep(condition, mutex);
    int woken, patient = __fencepost_choose(0, 1);
    __fencepost_atomic
    {
        woken = (condition->woken & me) != 0;
        __fencepost_assume(woken | !patient);
        condition->woken = condition->woken & ~me;
        condition->sleeping = condition->sleeping & ~me;
    }
    fencepost_mutex_lock(mutex);
    return woken;
}

/* Wakes one of those that sleep, any. */
static inline void fencepost_condition_signal(struct fencepost_condition *condition)
{
    __fencepost_atomic
    {
        if (condition->sleeping) {
            unsigned one = __fencepost_choose(1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u);
            if (!(condition->sleeping & one))
                one = condition->sleeping & -condition->sleeping;
            condition->sleeping = condition->sleeping & ~one;
            condition->woken = condition->woken | one;
        }
    }
}

static inline void fencepost_condition_broadcast(struct fencepost_condition *condition)
{
    __fencepost_atomic
    {
        condition->woken = condition->woken | condition->sleeping;
        condition->sleeping = 0;
    }
}

#endif
