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

#endif
