/* Attacks silent turns that lock and unlock, in a test: as noticed-by-a-ghost.c; what is wrong is a result, and `fences` must not say that none is needed. */
#include <fencepost.h>
int lock, flag, done;
int poll(void)
{
    int old;
    for (;;) {
        if (flag)
            break;
        fp_atomic { old = lock; lock = 1; }
        lock = 0;

    }
    fp_ghost { done = 1; }
    return 0;
}
int look(void)
{
    int d, l = 0;
    flag = 1;
    fp_ghost { d = done; }
    fence("load-load");
    if (d)
        l = lock;
    return l;
}
#pragma fencepost op p = poll()
#pragma fencepost op l = look()
#pragma fencepost test A = ( p | l )
#pragma fencepost expect A sc holds
#pragma fencepost expect A tso, pso violated
