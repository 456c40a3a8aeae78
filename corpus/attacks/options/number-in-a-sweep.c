/* Attacks: remembered steps, as ../attacks/number-that-is-an-address.c does, where each reduction has a switch.
     fencepost sweep number-in-a-sweep.c --threads 2..2 --steps 2..2 --preadds 0..0 --values 1 -m sc --keep-going --out log
   must find ( a(0) | c(0) ) violated, as with --without remember and --without private. */
#include <assert.h>
#include <fencepost.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
static bool present;
uintptr_t out;
int real, tick;
static bool add(int key)
{
    uintptr_t word;
    int is = fp_any(0, 1);
    real = is;
    if (is) { char *object = calloc(1, 9000); word = (uintptr_t)object + 5000; } else word = 0x217a2798;
    fp_atomic { tick = 1; }
    fp_atomic { tick = 2; }
    out = word;
    fp_atomic { tick = 3; }
    if (real) { *(char *)word = 1; *(char *)word = 2; }
    bool was;
    fp_atomic { was = present; present = true; }
    return !was;
}
static bool contains(int key)
{
    uintptr_t word; int is;
    fp_atomic { word = out; is = real; }
    if (word && is) assert(*(char *)word != 1);
    bool r; fp_atomic { r = present; } return r;
}
#pragma fencepost op a = add(any(0))
#pragma fencepost op c = contains(any(0))
#pragma fencepost oracle set for a, c
