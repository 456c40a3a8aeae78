/* Attacks sweeps that call one operation of each role: both `r` and `f` remove, and only `f` looks and clears in two
 * steps. A sweep that never calls `f` finds nothing wrong with this set. */
#include <stdatomic.h>
#include <stdbool.h>

static _Atomic bool present[8];

static bool add(int key) { return !atomic_exchange(&present[key], true); }

static bool remove_item(int key) { return atomic_exchange(&present[key], false); }

static bool remove_fast(int key)
{
    bool was = present[key];
    present[key] = false;
    return was;
}

static bool contains(int key) { return present[key]; }

#pragma fencepost op a = add(any(0, 1))
#pragma fencepost op r = remove_item(any(0, 1))
#pragma fencepost op f = remove_fast(any(0, 1))
#pragma fencepost op c = contains(any(0, 1))
#pragma fencepost oracle set for a, r, f, c
#pragma fencepost test RR = a ( r | r )
#pragma fencepost test FF = a ( f | f )
#pragma fencepost expect RR sc, tso holds
#pragma fencepost expect FF sc, tso violated
#pragma fencepost model sc, tso
