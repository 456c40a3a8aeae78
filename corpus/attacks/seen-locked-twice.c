/* Attacks silent turns that lock and unlock: another thread finds the mutex locked, free and locked again, before it
   lets the loop end. So the turns that it saw must go on. */
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int flag, seen;
void *watcher(void *arg)
{
    int first = pthread_mutex_trylock(&m);
    if (!first)
        pthread_mutex_unlock(&m);
    int second = pthread_mutex_trylock(&m);
    if (!second)
        pthread_mutex_unlock(&m);
    int third = pthread_mutex_trylock(&m);
    if (!third)
        pthread_mutex_unlock(&m);
    seen = first && !second && third;
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, watcher, 0);
    while (1) {
        pthread_mutex_lock(&m);
        int done = flag;
        pthread_mutex_unlock(&m);
        if (done)
            break;
    }
    assert(!seen);
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
