/* Attacks: stores that nobody competes for reach memory as soon as they may. One stands between two store-store fences; with it gone from the
   buffer, the flag must stay behind the data all the same. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int data, own, flag, more, last;

static void *send(void *unused)
{
    data = 1;
    fence("store-store");
    own = 1;
    fence("store-store");
    flag = 1;
    own = 2;
    more = 1;
    fence("store-store");
    own = 3;
    last = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send, NULL);
    int end = last;
    fence("load-load");
    int ready = flag, too = more;
    fence("load-load");
    int seen = data;
    if (end)
        assert(ready == 1 && too == 1);
    if (ready || too)
        assert(seen == 1);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
