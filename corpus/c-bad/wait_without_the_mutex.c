/* Who waits on a condition variable holds the mutex. */
#include <pthread.h>
#pragma fencepost expect main sc violated

int main(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    return pthread_cond_wait(&condition, &mutex); /* fault: a mutex is unlocked that is not locked */
}
