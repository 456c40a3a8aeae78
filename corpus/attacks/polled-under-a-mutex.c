/* Attacks silent turns that lock and unlock: they are cut, and what the others do about the mutex is not lost by it. */
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int flag, x;
void *producer(void *arg)
{
    x = 1;
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
static void await(void)
{
    int done = 0;
    while (!done) {
        pthread_mutex_lock(&n);
        pthread_mutex_lock(&m);
        done = flag;
        pthread_mutex_unlock(&m);
        pthread_mutex_unlock(&n);
    }
}
void *consumer(void *arg)
{
    await();
    assert(x == 1);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, producer, 0);
    pthread_create(&u, 0, consumer, 0);
    while (1) {
        pthread_mutex_lock(&m);
        if (flag) {
            pthread_mutex_unlock(&m);
            break;
        }
        pthread_mutex_unlock(&m);
    }
    assert(x == 1);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
#pragma fencepost expect main sc, tso holds
