/* Attacks silent turns that store and store back: the stores to two addresses, which may be one, are stored back in the order in which they
   were made, so that the second stores back what the first had stored. All of it happens before there is another thread. */
#include <assert.h>
#include <fencepost.h>
int x, y;
int main(void)
{
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
