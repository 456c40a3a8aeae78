/* Attacks: `return`, `break`, `continue` and `goto` out of an atomic block end it, and what it stored is seen at once by all. An inner
 * block is part of the outer one. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

static int x, y, seen;

static int first(void)
{
    fp_atomic {
        x++;
        if (x == 1) return 5;
        x++;
    }
    return 6;
}

static void *other(void *unused)
{
    for (int i = 0; i < 3; i++) {
        fp_atomic {
            if (i == 1) continue;
            if (i == 2) break;
            y++;
            y++;
        }
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    assert(first() == 5);
    fp_atomic { seen = y; }
    assert(seen == 0 || seen == 2);
    pthread_join(thread, 0);
    assert(y == 2 && x == 1);
    fp_atomic {
        fp_atomic { y = 3; }
        y = 4;
        goto out;
    }
    y = 9;
out:
    assert(y == 4);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
