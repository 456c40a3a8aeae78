/* Attacks silent turns that lock and unlock, on models on which a thread may read what it has overwritten: it notices its own turn. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int lock, flag;
void *loop(void *arg)
{
    int old;
    while (1) {
        if (flag)
            break;
        fp_atomic
        {
            old = lock;
            lock = 1;
        }
        lock = 0;
        fence("store-store");
    }
    old = lock;
    assert(old == 0);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, loop, 0);
    flag = 1;
    return 0;
}
