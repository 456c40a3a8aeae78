/* Attacks silent turns: a loop inside of an atomic block, whose last read lives on behind the block. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int x, flag;
void *writer(void *arg)
{
    fp_atomic
    {
        x = 1;
        flag = 1;
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int w = 0, n = 0;
    while (1) {
        int f;
        fp_atomic
        {
            f = flag;
            for (int i = 0; i < 2 && !f; i++)
                w = x;
        }
        if (f)
            break;
    }
    assert(w == 0);
    assert(n == 0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
