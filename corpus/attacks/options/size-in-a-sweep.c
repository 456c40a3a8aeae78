/* Attacks: remembered steps, as ../attacks/size-of-another-state.c does, where each reduction has a switch.
     fencepost sweep size-in-a-sweep.c --threads 2..2 --steps 2..2 --preadds 0..0 --values 1 -m sc --keep-going --out log
   must find ( a(0) | c(0) ) violated, as with --without remember and --without collect. */
#include <assert.h>
#include <fencepost.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
static bool present;
int tick, small_;
static bool add(int key)
{
    int little = fp_any(0, 1);
    small_ = little;
    char *block;
    if (little) block = malloc(8); else block = malloc(9000);
    fp_atomic { tick = 1; }
    fp_atomic { tick = 2; }
    uintptr_t inside = (uintptr_t)block + 5000;
    block = NULL;
    fp_atomic { tick = 3; }
    fp_atomic { tick = 4; }
    char *other = malloc(8);
    if (small_) assert((uintptr_t)other == inside - 5000);
    bool was;
    fp_atomic { was = present; present = true; }
    return !was;
}
static bool contains(int key) { bool is; fp_atomic { assume(present); is = present; } return is; }
#pragma fencepost op a = add(any(0))
#pragma fencepost op c = contains(any(0))
#pragma fencepost oracle set for a, c
