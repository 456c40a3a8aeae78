/* Attacks silent turns with stores that change nothing: on rmo, a thread may read what its own swap stored before the value that
   the swap found there was visible to anyone. Without the swap, the load of l would read it from the writer, and come after the store to m. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int l, m[2], flag;
void *writer(void *arg)
{
    m[0] = 1;
    fence("store-store");
    l = 1;
    fence("full");
    flag = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int f, old, r, s;
    do {
        f = flag;
        if (!f)
            fp_atomic
            {
                old = l;
                assume(old == 1);
                l = 1;
            }
    } while (!f);
    r = l;
    s = m[r ^ r];
    assert(!(r == 1 && s == 0));
    return 0;
}
#pragma fencepost expect main rmo, relaxed violated
#pragma fencepost expect main sc, tso, pso holds
