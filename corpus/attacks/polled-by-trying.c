/* Attacks silent turns that lock and unlock: two threads wait for a third by trying the lock, so that each may find the other's turn
   under way. */
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int flag, x;
static void await(void)
{
    int done = 0;
    while (!done) {
        if (pthread_mutex_trylock(&m) == 0) {
            done = flag;
            pthread_mutex_unlock(&m);
        }
    }
}
void *consumer(void *arg)
{
    await();
    assert(x == 1);
    return arg;
}
void *producer(void *arg)
{
    x = 1;
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, producer, 0);
    pthread_create(&u, 0, consumer, 0);
    await();
    assert(x == 1);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
#pragma fencepost expect main sc, tso holds
