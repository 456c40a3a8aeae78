/* Nobody else could ever unlock it. */
#include <pthread.h>
#pragma fencepost expect main sc violated

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int locked(void)
{
    return pthread_mutex_lock(&mutex); /* fault: a thread locks a mutex that it holds already */
}

int main(void)
{
    pthread_mutex_lock(&mutex);
    return locked();
}
