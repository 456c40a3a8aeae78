/* Attacks silent turns: what a round chose is what it leaves behind. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int flag;
void *writer(void *arg)
{
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int c = 0, choices = 0, kept = 0;
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        if (choices < 2) {
            c = fp_any(0, 1, 2);
            if (!choices && c == 2)
                kept = c;
            choices++;
        }
    assert(!(kept == 2 && c == 1));
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
