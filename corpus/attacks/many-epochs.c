/* Attacks: abstract store buffers tell four epochs of store-store fences apart, and this thread has six. What counts as older than it is may only
   leave the buffer earlier, so `verify` may not prove this without a head, but no order may be lost or made up. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int a, b, c, d, e, f;

static void *send(void *unused)
{
    a = 1;
    fence("store-store");
    b = 1;
    fence("store-store");
    c = 1;
    fence("store-store");
    d = 1;
    fence("store-store");
    e = 1;
    fence("store-store");
    f = 1;
    e = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send, NULL);
    int late = e;
    fence("load-load");
    int sixth = f;
    fence("load-load");
    int fourth = d, first = a;
    if (sixth || late)
        assert(first == 1 && fourth == 1);
#ifdef WRONG
    assert(!(late == 2 && sixth == 0));
#endif
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
