/* Attacks: a call begins with its first action. On pso the load of `mode`, which nobody writes, waits for the fence, so a step starts with it; that step makes
   no visible action, ends the call, and begins the next one in the same breath. No other call then lies between the two.
     fencepost sweep call-begins-too-early.c --threads 2..2 --steps 3..3 --preadds 0..0 --values 1 -m pso --keep-going --out log
   must find schedule ( a(0) r(0) | c(0) ) violated, as with --without footprint and as on sc: `contains` says false between an `add` that has ended and
   a `remove_item` that has not begun. -D ROUNDS=400 shows the same on sc, where a long loop behind the last store cuts the step. */
#include <stdbool.h>
#include <fencepost.h>
static bool present[2];
static int mode;
static bool add(int key)
{
    bool was = present[key];
    present[key] = true;
    fence("store-load");
#ifdef ROUNDS
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        sum += i;
#endif
    return !was && !mode;
}
static bool remove_item(int key)
{
    bool was = present[key];
    present[key] = false;
    fence("full");
    return was;
}
static bool contains(int key) { (void)present[key]; return false; }
#pragma fencepost op a = add(any(0))
#pragma fencepost op r = remove_item(any(0))
#pragma fencepost op c = contains(any(0))
#pragma fencepost oracle set for a, r, c
