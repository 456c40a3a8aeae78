/* AWAIT(condition, mutex, test): waits on a condition variable until the test holds. The mutex is held before and after.
 *
 * Where pthread.h is a model without condition variables, the thread goes to sleep and wakes up once, when the test
 * holds. No execution that ends is lost by that: to wake up and find the test false has no effect. What is lost is that
 * a thread sleeps for ever because nobody signals. */
#include <pthread.h>
#include <fencepost.h>

#if defined(__FENCEPOST__) && !defined(PTHREAD_COND_INITIALIZER)

typedef char pthread_cond_t;
#define pthread_cond_init(condition, attributes) ((void)(condition))
#define pthread_cond_broadcast(condition) ((void)(condition))

#define AWAIT(condition, mutex, test)      \
    do {                                   \
        if (!(test)) {                     \
            pthread_mutex_unlock(mutex);   \
            fp_atomic                      \
            {                              \
                pthread_mutex_lock(mutex); \
                fp_assume(test);           \
            }                              \
        }                                  \
    } while (0)

#else

#define AWAIT(condition, mutex, test)             \
    do {                                          \
        while (!(test))                           \
            pthread_cond_wait(condition, mutex);  \
    } while (0)

#endif
