/* Attacks programs that wait for ever: here no execution is left, since an assumption never holds. Nothing was checked. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int x;
int main(void)
{
    assume(x == 1);
    assert(0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed inconclusive
