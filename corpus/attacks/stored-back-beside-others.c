/* Attacks silent turns that store and store back: as stored-back-crosswise.c, with another thread there. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int x, y;
void *other(void *arg) { return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    int *p = fp_any(0, 1) ? &x : &y;
    while (1) {
        int a, b;
        fp_atomic
        {
            a = x;
            x = 1;
        }
        fp_atomic
        {
            b = *p;
            *p = 2;
        }
        x = a;
        *p = b;
        fence("full");
        if (a)
            break;
    }
    assert(0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
