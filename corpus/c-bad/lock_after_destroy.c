/* A mutex that was destroyed. */
#include <pthread.h>
#pragma fencepost expect main sc violated

int main(void)
{
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, 0);
    pthread_mutex_destroy(&mutex);
    pthread_mutex_lock(&mutex); /* fault: a mutex is locked that was destroyed */
    return 0;
}
