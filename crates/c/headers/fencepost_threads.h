/* Threads and locks, as pthread.h and threads.h both need them. They order what the contract says and no more: a lock
 * acquires, an unlock is a store that releases, a join acquires what the end of the thread released. */
#ifndef FENCEPOST_THREADS_H
#define FENCEPOST_THREADS_H

struct fencepost_thread {
    void *result;
    int code;
    int finished;
    int given_up; /* joined or detached: nobody may join it any more */
};

/* Words that threads share are atomic. */
#define FENCEPOST_GET(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define FENCEPOST_SET(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)

static inline void fencepost_acquire(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static inline void fencepost_finish(struct fencepost_thread *self)
{
    __atomic_store_n(&self->finished, 1, __ATOMIC_RELEASE);
}

/* Not at once, which would make a fence of it: that two do it is found when one does it after the other. */
static inline void fencepost_give_up(struct fencepost_thread *thread)
{
    __fencepost_misuse(!FENCEPOST_GET(thread->given_up), "a thread is joined or detached that was joined or detached before");
    FENCEPOST_SET(thread->given_up, 1);
}

/* Waits for the thread to finish; what it did is then visible. */
static inline void fencepost_join(struct fencepost_thread *thread)
{
    __fencepost_misuse(thread != __fencepost_self(), "a thread joins itself");
    fencepost_give_up(thread);
    __fencepost_assume(FENCEPOST_GET(thread->finished));
    fencepost_acquire();
}

/* The thread that holds it, FENCEPOST_SOMEBODY if that cannot be told, or 0. */
struct fencepost_mutex {
    void *held;
};

/* Operations of a test do not know which thread calls them. */
#define FENCEPOST_SOMEBODY ((void *)2)
#define FENCEPOST_DESTROYED ((void *)3)

static inline void *fencepost_me(void)
{
    void *self = __fencepost_self();
    return self ? self : FENCEPOST_SOMEBODY;
}

static inline void fencepost_mutex_init(struct fencepost_mutex *mutex)
{
    FENCEPOST_SET(mutex->held, 0);
}

static inline void fencepost_mutex_destroy(struct fencepost_mutex *mutex)
{
    void *held = FENCEPOST_GET(mutex->held);
    __fencepost_misuse(held != FENCEPOST_DESTROYED, "a mutex is destroyed twice");
    __fencepost_misuse(!held, "a mutex is destroyed that is locked");
    FENCEPOST_SET(mutex->held, FENCEPOST_DESTROYED);
}

static inline void fencepost_mutex_lock(struct fencepost_mutex *mutex)
{
    void *me = fencepost_me(), *held;
    __fencepost_atomic
    {
        held = FENCEPOST_GET(mutex->held);
        __fencepost_misuse(held != FENCEPOST_DESTROYED, "a mutex is locked that was destroyed");
        __fencepost_misuse((held != me) | (me == FENCEPOST_SOMEBODY), "a thread locks a mutex that it holds already");
        __fencepost_assume(!held);
        FENCEPOST_SET(mutex->held, me);
    }
    fencepost_acquire();
}

/* Orders nothing if it fails. */
static inline int fencepost_mutex_trylock(struct fencepost_mutex *mutex)
{
    void *me = fencepost_me(), *held;
    __fencepost_atomic
    {
        held = FENCEPOST_GET(mutex->held);
        __fencepost_misuse(held != FENCEPOST_DESTROYED, "a mutex is locked that was destroyed");
        if (!held)
            FENCEPOST_SET(mutex->held, me);
    }
    if (held)
        return 1;
    fencepost_acquire();
    return 0;
}

/* Only its owner may unlock a mutex, and nobody else writes to one that is locked, so what is loaded first is what the
 * store replaces. One atomic block would make a full fence of it on machines on which read-modify-writes are such. */
static inline void fencepost_mutex_unlock(struct fencepost_mutex *mutex)
{
    void *me = fencepost_me(), *held = FENCEPOST_GET(mutex->held);
    __fencepost_misuse(held != FENCEPOST_DESTROYED, "a mutex is unlocked that was destroyed");
    __fencepost_misuse(held != 0, "a mutex is unlocked that is not locked");
    __fencepost_misuse((held == me) | (held == FENCEPOST_SOMEBODY) | (me == FENCEPOST_SOMEBODY),
                       "a mutex is unlocked by a thread that did not lock it");
    __atomic_store_n(&mutex->held, 0, __ATOMIC_RELEASE);
}

/* Runs a function unless somebody has done so: 0 before, 1 while it runs, 2 behind it. Whoever comes later sees what it did. */
static inline void fencepost_once(int *state, void (*function)(void))
{
    int first;
    __fencepost_atomic
    {
        first = FENCEPOST_GET(*state) == 0;
        if (first)
            FENCEPOST_SET(*state, 1);
    }
    if (first) {
        function();
        __atomic_store_n(state, 2, __ATOMIC_RELEASE);
    } else {
        __fencepost_assume(FENCEPOST_GET(*state) == 2);
        fencepost_acquire();
    }
}

/* A condition variable: a bit for each thread that sleeps on it, and for each that was woken and has not noticed
 * yet. Nobody wakes up without reason. No program has more than 64 threads, so that there is always a bit left. */
struct fencepost_condition {
    unsigned long sleeping;
    unsigned long woken;
};

#define FENCEPOST_BITS(n) 1ul << (n), 2ul << (n), 4ul << (n), 8ul << (n), 16ul << (n), 32ul << (n), 64ul << (n), 128ul << (n)

static inline void fencepost_condition_init(struct fencepost_condition *condition)
{
    condition->sleeping = 0;
    condition->woken = 0;
}

static inline void fencepost_condition_destroy(struct fencepost_condition *condition)
{
    __fencepost_misuse(!condition->sleeping, "a condition variable is destroyed on which a thread sleeps");
}

/* Whoever calls this holds the mutex, so that no wake-up under the mutex gets lost between the two steps. */
static inline unsigned long fencepost_condition_sleep(struct fencepost_condition *condition, struct fencepost_mutex *mutex)
{
    unsigned long me, taken;
    __fencepost_caveat("wake-ups of condition variables without reason");
    __fencepost_atomic
    {
        taken = FENCEPOST_GET(condition->sleeping) | FENCEPOST_GET(condition->woken);
        me = ~taken & (taken + 1);
        FENCEPOST_SET(condition->sleeping, FENCEPOST_GET(condition->sleeping) | me);
    }
    fencepost_mutex_unlock(mutex);
    return me;
}

static inline void fencepost_condition_wait(struct fencepost_condition *condition, struct fencepost_mutex *mutex)
{
    unsigned long me = fencepost_condition_sleep(condition, mutex);
    __fencepost_atomic
    {
        __fencepost_assume((FENCEPOST_GET(condition->woken) & me) != 0);
        FENCEPOST_SET(condition->woken, FENCEPOST_GET(condition->woken) & ~me);
    }
    fencepost_mutex_lock(mutex);
}

/* Waits, or gives up whenever it likes; says whether it was woken. */
static inline int fencepost_condition_timedwait(struct fencepost_condition *condition, struct fencepost_mutex *mutex)
{
    unsigned long me = fencepost_condition_sleep(condition, mutex);
    int woken, patient = __fencepost_choose(0, 1);
    __fencepost_atomic
    {
        woken = (FENCEPOST_GET(condition->woken) & me) != 0;
        __fencepost_assume(woken | !patient);
        FENCEPOST_SET(condition->woken, FENCEPOST_GET(condition->woken) & ~me);
        FENCEPOST_SET(condition->sleeping, FENCEPOST_GET(condition->sleeping) & ~me);
    }
    fencepost_mutex_lock(mutex);
    return woken;
}

/* Wakes one of those that sleep, any. */
static inline void fencepost_condition_signal(struct fencepost_condition *condition)
{
    __fencepost_atomic
    {
        unsigned long sleeping = FENCEPOST_GET(condition->sleeping), one = sleeping;
        if (sleeping) {
            if (sleeping & (sleeping - 1)) {
                one = __fencepost_choose(FENCEPOST_BITS(0), FENCEPOST_BITS(8), FENCEPOST_BITS(16), FENCEPOST_BITS(24),
                                         FENCEPOST_BITS(32), FENCEPOST_BITS(40), FENCEPOST_BITS(48), FENCEPOST_BITS(56));
                if (!(sleeping & one))
                    one = sleeping & -sleeping;
            }
            FENCEPOST_SET(condition->sleeping, sleeping & ~one);
            FENCEPOST_SET(condition->woken, FENCEPOST_GET(condition->woken) | one);
        }
    }
}

#undef FENCEPOST_BITS

static inline void fencepost_condition_broadcast(struct fencepost_condition *condition)
{
    __fencepost_atomic
    {
        if (FENCEPOST_GET(condition->sleeping)) {
            FENCEPOST_SET(condition->woken, FENCEPOST_GET(condition->woken) | FENCEPOST_GET(condition->sleeping));
            FENCEPOST_SET(condition->sleeping, 0);
        }
    }
}

#endif
