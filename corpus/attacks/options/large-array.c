/* Attacks: limits are asked for often enough. Each store copies the array, and all copies are kept; memory is looked at after 4096 states, and nothing at
   all inside of an atomic block.
     ulimit -v 6000000; fencepost check --engine explicit --timeout 5 --memory 1G -m sc large-array.c [-D ATOMIC]
   must be inconclusive, after five seconds or with a gigabyte. */
#include <assert.h>
#include <fencepost.h>

static char a[1 << 18];

int main(void)
{
#ifdef ATOMIC
    fp_atomic
#endif
    {
        for (int i = 0; i < (1 << 18); i++)
            a[i] = 1;
    }
    assert(a[5] == 1);
    return 0;
}
