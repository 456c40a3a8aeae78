/* Attacks: that what a check lets pass is known afterwards. The index is checked against the longer array, and reaches past
   the shorter one, which is not an array of declared length where it is accessed. */
#include <pthread.h>
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated

static int longer[8], *shorter, at;
static int four[4];

static void *use(void *unused)
{
    int i = at;
    longer[i] = 1;
    shorter[i] = longer[i];
    return 0;
}

int main(void)
{
    shorter = four;
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    at = 3;
    at = 5;
    pthread_join(thread, 0);
}
