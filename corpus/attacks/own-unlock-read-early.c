/* Attacks silent turns that store and store back: behind the loop, the thread reads what its own turn stored back, before others see
   it, and so before it reads what the store before that one vouches for. Without the turn it would have to read from that. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int word, flag;
int data[2];
void *writer(void *arg)
{
    data[0] = 1;
    fence("full");
    word = 8;
    fence("full");
    flag = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    while (1) {
        if (flag)
            break;
        int old;
        fp_atomic
        {
            old = word;
            word = 1;
        }
        word = old;
    }
    int late = word;
    int known = data[late & 1];
    assert(!(late == 8 && known == 0));
    pthread_join(t, 0);
    return 0;
}
#pragma fencepost expect main sc, tso holds
#pragma fencepost expect main rmo, relaxed violated
