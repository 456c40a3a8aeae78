/* Attacks primed operations: the last thing before the retry is a store, and another thread fails because of it. */
#include <assert.h>
#include <fencepost.h>
int x, z;
void again(void)
{
    int ok;
    do {
        ok = cas(&z, 1, 2);
        x = 1;
    } while (!ok);
}
void look(void)
{
    assert(x == 0);
}
void ready(void)
{
    z = 1;
}
#pragma fencepost op a = again()
#pragma fencepost op l = look()
#pragma fencepost op r = ready()
#pragma fencepost test T = ( a' | l r )
#pragma fencepost expect T sc, tso, pso violated
