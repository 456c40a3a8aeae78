/* Attacks silent turns that store and store back: another thread's store comes between the two, is lost, and that is noticed
   before the loop may end. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int word, flag, lost;
void *meddler(void *arg)
{
    word = 5;
    fence("full");
    lost = word == 0;
    fence("full");
    flag = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, meddler, 0);
    while (1) {
        int old;
        fp_atomic
        {
            old = word;
            word = 1;
        }
        fence("full");
        int done = flag;
        word = old;
        fence("full");
        if (done)
            break;
    }
    assert(!lost);
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
