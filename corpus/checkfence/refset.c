/* A set for one thread at a time: what the concurrent ones must look like. For --reference. */
#include <stdbool.h>

#define KEYS 8

typedef struct set {
    bool has[KEYS];
} set_t;

static bool add(set_t *set, int key)
{
    bool added = !set->has[key];
    set->has[key] = true;
    return added;
}

static bool contains(set_t *set, int key) { return set->has[key]; }

static bool remove(set_t *set, int key)
{
    bool removed = set->has[key];
    set->has[key] = false;
    return removed;
}

set_t set;

#pragma fencepost op a = add(&set, any(0, 1))
#pragma fencepost op c = contains(&set, any(0, 1))
#pragma fencepost op r = remove(&set, any(0, 1))
#include "set-tests.h"

#pragma fencepost expect Sac, Sar, Sacr serial holds
