/* Attacks: a condition variable has room for all threads that may sleep on it. Nine fall asleep one after the other, and a signal wakes
 * one of them, maybe the last. A limit of the model would be no fault of the program. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

enum { SLEEPERS = 9 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int asleep, woken;

static void *sleeper(void *unused)
{
    pthread_mutex_lock(&mutex);
    int number = ++asleep;
    pthread_cond_wait(&condition, &mutex);
    assert(!woken);
    woken = number;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    for (int i = 1; i <= SLEEPERS; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, sleeper, 0);
        pthread_mutex_lock(&mutex);
        assume(asleep == i);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    assume(woken);
    assert(woken != SLEEPERS);
    return 0;
}
#pragma fencepost expect main sc violated
