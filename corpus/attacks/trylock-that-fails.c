/* Attacks "a trylock that fails is a read": it must not synchronise with the lock it meets (C11 7.26.4.5 and POSIX give order only to a lock that succeeds).
 * `data` is written before the lock and read behind the failure: a data race. */
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int data;
void *taker(void *unused)
{
    data = 1;
    pthread_mutex_lock(&mutex);
    return 0;
}
void *trier(void *unused)
{
    int seen;
    if (pthread_mutex_trylock(&mutex))
        seen = data;
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, taker, 0);
    pthread_create(&b, 0, trier, 0);
    return 0;
}
#pragma fencepost expect main rc11 violated
#pragma fencepost expect main x86, armv8 holds
