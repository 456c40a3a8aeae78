/* Only who locked a mutex may unlock it. */
#include <pthread.h>
#pragma fencepost expect main sc violated

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *argument)
{
    pthread_mutex_unlock(&mutex); /* fault: a mutex is unlocked by a thread that did not lock it */
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    return 0;
}
