#ifndef FENCEPOST_PTHREAD_H
#define FENCEPOST_PTHREAD_H
/* As POSIX has it, with what <sched.h> and <time.h> declare, and nothing else. */
#include <fencepost_threads.h>
#include <sched.h>
#include <time.h>

typedef struct fencepost_thread *pthread_t;
typedef struct {
    int fencepost_unused;
} pthread_attr_t, pthread_mutexattr_t, pthread_condattr_t;
typedef struct fencepost_mutex pthread_mutex_t;
typedef struct fencepost_mutex pthread_spinlock_t;
typedef struct fencepost_condition pthread_cond_t;
#define PTHREAD_MUTEX_INITIALIZER {0}
#define PTHREAD_COND_INITIALIZER {0}
typedef int pthread_once_t;
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1

static inline void fencepost_pthread_run(struct fencepost_thread *self, void *(*function)(void *), void *argument)
{
    self->result = function(argument);
    fencepost_finish(self);
}

static inline int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                                 void *argument)
{
    struct fencepost_thread *self = (struct fencepost_thread *)__fencepost_zeroed(sizeof(struct fencepost_thread));
    (void)attributes;
    __fencepost_spawn(fencepost_pthread_run, self, function, argument);
    /* Last: the new thread may run before its identity is written. */
    *thread = self;
    return 0;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    fencepost_join(thread);
    if (result)
        *result = thread->result;
    return 0;
}

static inline int pthread_detach(pthread_t thread)
{
    fencepost_give_up(thread);
    return 0;
}

static inline int pthread_equal(pthread_t a, pthread_t b)
{
    return a == b;
}

static inline int pthread_once(pthread_once_t *control, void (*function)(void))
{
    fencepost_once(control, function);
    return 0;
}

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    (void)attributes;
    fencepost_mutex_init(mutex);
    return 0;
}
static inline int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    fencepost_mutex_destroy(mutex);
    return 0;
}
static inline int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    fencepost_mutex_lock(mutex);
    return 0;
}
static inline int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return fencepost_mutex_trylock(mutex) ? 16 /* EBUSY */ : 0;
}
static inline int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    fencepost_mutex_unlock(mutex);
    return 0;
}

static inline int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    (void)attributes;
    fencepost_condition_init(condition);
    return 0;
}
static inline int pthread_cond_destroy(pthread_cond_t *condition)
{
    fencepost_condition_destroy(condition);
    return 0;
}
static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    fencepost_condition_wait(condition, mutex);
    return 0;
}
static inline int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                         const struct timespec *until)
{
    (void)until;
    return fencepost_condition_timedwait(condition, mutex) ? 0 : 110 /* ETIMEDOUT */;
}
static inline int pthread_cond_signal(pthread_cond_t *condition)
{
    fencepost_condition_signal(condition);
    return 0;
}
static inline int pthread_cond_broadcast(pthread_cond_t *condition)
{
    fencepost_condition_broadcast(condition);
    return 0;
}

static inline int pthread_spin_init(pthread_spinlock_t *spin, int shared)
{
    (void)shared;
    fencepost_mutex_init(spin);
    return 0;
}
static inline int pthread_spin_destroy(pthread_spinlock_t *spin)
{
    fencepost_mutex_destroy(spin);
    return 0;
}
static inline int pthread_spin_lock(pthread_spinlock_t *spin)
{
    fencepost_mutex_lock(spin);
    return 0;
}
static inline int pthread_spin_trylock(pthread_spinlock_t *spin)
{
    return fencepost_mutex_trylock(spin) ? 16 /* EBUSY */ : 0;
}
static inline int pthread_spin_unlock(pthread_spinlock_t *spin)
{
    fencepost_mutex_unlock(spin);
    return 0;
}
int pthread_yield(void) __attribute__((fencepost_ignored));
#endif
