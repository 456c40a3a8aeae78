/* Attacks: registers that are not live are left out of states. `kept` matters behind a call that is under way while others run, `count` only as long
   as the loop goes on, and the callee's own variable of the same place is another one each time. */
#include <assert.h>
#include <pthread.h>

int x, y;

static int look(int which)
{
    int value;
    if (which)
        value = x;
    else
        value = y;
    return value + which;
}

static void *other(void *unused)
{
    x = 1;
    y = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    int kept = look(1), count = 0, sum = 0;
    while (count < 2) {
        sum += look(count);
        count++;
    }
    assert(kept + sum < 5);
    assert(count == 2);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
