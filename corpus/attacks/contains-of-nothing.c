/* Attacks monitors: a call that makes no access still begins and returns at some time. `c` looks nowhere, and answers that nothing is
 * there. Beside one `a`, that is sequentially consistent, but neither linearizable nor quiescently consistent: it may begin
 * when `a` has returned. A test has nothing to object, since its specification comes from the operations themselves.
 * fencepost sweep --threads 2 --steps 2 --preadds 0 --values 1 --property sc holds, linear and quiescent are violated. */
#include <stdatomic.h>
#include <stdbool.h>

static _Atomic bool present[8];

static bool add(int key) { return !atomic_exchange(&present[key], true); }
static bool contains(int key) { return key < 0; }

#pragma fencepost op a = add(any(0, 1))
#pragma fencepost op c = contains(any(0, 1))
#pragma fencepost oracle set for a, c
#pragma fencepost test T = ( a | c )
#pragma fencepost expect T sc, tso, pso, rmo, relaxed holds
