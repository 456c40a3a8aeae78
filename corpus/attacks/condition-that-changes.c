/* Attacks: that branches which contradict each other make no way. The same variable is tested twice, but written in
   between on the way that counts, so `seen` of an earlier turn is read. */
#include <pthread.h>
#include <assert.h>
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated

static int x;
static _Atomic int flag;

static void *wait(void *unused)
{
    int seen = 0, node;
again:
    node = flag;
    while (!node) {
        seen = x;
        goto again;
    }
    node = node - 1;
    if (!node)
        assert(seen == 0);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    x = 1;
    flag = 1;
    pthread_join(thread, 0);
}
