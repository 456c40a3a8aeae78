/* Attacks the bounds of loops with silent turns, on tso and pso: a turn of each thread is noticed only by a load behind the other's, which
   overtakes that one's unlock. Neither turn can be noticed without the other, but each of them alone is, by a thread that makes no turn. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int a, b, go, seen_a, seen_b;
void *one(void *arg)
{
    while (1) {
        int now = go, old;
        if (now)
            break;
        fp_atomic { old = b; b = 1; }
        b = 0;
        fence("store-store");
    }
    seen_a = a;
    return arg;
}
void *two(void *arg)
{
    while (1) {
        int now = go, old;
        if (now)
            break;
        fp_atomic { old = a; a = 1; }
        a = 0;
        fence("store-store");
    }
    seen_b = b;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    int x = a, y = b;
    go = 1;
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(!(seen_a && seen_b && !x && !y));
    return 0;
}
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso, pso, rmo, relaxed violated
