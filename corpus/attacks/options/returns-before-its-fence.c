/* Attacks: loads that nobody notices do not wait for a store-load fence on tso. A monitor notices: the call returns, and its store has not been seen. The load
   of `mode` stands behind the fence, so the call is not done before the store reaches memory.
     fencepost sweep returns-before-its-fence.c --threads 2..2 --steps 2..2 --preadds 0..0 --values 1 -m tso --keep-going --out log
   must find ( a(0) | c(0) ) right, as with --without footprint, as on sc and as on pso, which allows more. Of ( a(0) | a(0) ), which is wrong on sc, nothing
   is said here. */
#include <stdbool.h>
#include <fencepost.h>
static bool present;
static int mode;
static bool add(int key)
{
    bool was;
    fp_atomic { was = present; }
    present = true;
    fence("store-load");
    return !was && !mode;
}
static bool contains(int key) { return present; }
#pragma fencepost op a = add(any(0))
#pragma fencepost op c = contains(any(0))
#pragma fencepost oracle set for a, c
