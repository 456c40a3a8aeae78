/* AWAIT(condition, mutex, test): waits on a condition variable until the test holds. The mutex is held before and after. */
#include <pthread.h>

#define AWAIT(condition, mutex, test)            \
    do {                                         \
        while (!(test))                          \
            pthread_cond_wait(condition, mutex); \
    } while (0)
