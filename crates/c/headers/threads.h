#ifndef FENCEPOST_C11_THREADS_H
#define FENCEPOST_C11_THREADS_H
#include <fencepost_threads.h>
#include <time.h>

typedef struct fencepost_thread *thrd_t;
typedef int (*thrd_start_t)(void *);
typedef struct fencepost_mutex mtx_t;
typedef struct fencepost_condition cnd_t;
typedef int once_flag;
#define ONCE_FLAG_INIT 0
enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain = 0, mtx_timed = 2 };

static inline void fencepost_thrd_run(struct fencepost_thread *self, thrd_start_t function, void *argument)
{
    self->code = function(argument);
    fencepost_finish(self);
}

static inline int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct fencepost_thread *self = (struct fencepost_thread *)__fencepost_zeroed(sizeof(struct fencepost_thread));
    __fencepost_spawn(fencepost_thrd_run, self, function, argument);
    /* Last: the new thread may run before its identity is written. */
    *thread = self;
    return thrd_success;
}

static inline int thrd_join(thrd_t thread, int *code)
{
    fencepost_join(thread);
    if (code)
        *code = thread->code;
    return thrd_success;
}

static inline int thrd_detach(thrd_t thread)
{
    fencepost_give_up(thread);
    return thrd_success;
}

static inline int thrd_equal(thrd_t a, thrd_t b)
{
    return a == b;
}

void thrd_yield(void) __attribute__((fencepost_ignored));

static inline void call_once(once_flag *flag, void (*function)(void))
{
    fencepost_once(flag, function);
}

static inline int mtx_init(mtx_t *mutex, int type)
{
    (void)type;
    fencepost_mutex_init(mutex);
    return thrd_success;
}
static inline void mtx_destroy(mtx_t *mutex)
{
    fencepost_mutex_destroy(mutex);
}
static inline int mtx_lock(mtx_t *mutex)
{
    fencepost_mutex_lock(mutex);
    return thrd_success;
}
static inline int mtx_trylock(mtx_t *mutex)
{
    return fencepost_mutex_trylock(mutex) ? thrd_busy : thrd_success;
}
static inline int mtx_unlock(mtx_t *mutex)
{
    fencepost_mutex_unlock(mutex);
    return thrd_success;
}

static inline int cnd_init(cnd_t *condition)
{
    fencepost_condition_init(condition);
    return thrd_success;
}
static inline void cnd_destroy(cnd_t *condition)
{
    fencepost_condition_destroy(condition);
}
static inline int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    fencepost_condition_wait(condition, mutex);
    return thrd_success;
}
static inline int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    (void)until;
    return fencepost_condition_timedwait(condition, mutex) ? thrd_success : thrd_timedout;
}
static inline int cnd_signal(cnd_t *condition)
{
    fencepost_condition_signal(condition);
    return thrd_success;
}
static inline int cnd_broadcast(cnd_t *condition)
{
    fencepost_condition_broadcast(condition);
    return thrd_success;
}
#endif
