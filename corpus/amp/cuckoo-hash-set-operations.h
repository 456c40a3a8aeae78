/* The operations of the phased cuckoo hash sets, for files that say how the two places of a value are locked (acquire,
 * release) and how the tables grow (resize). The last argument of these is a place that is different for every
 * operation under way: it tells threads apart.
 *
 * A list that has more than THRESHOLD values is to give its oldest one to the other table. As published, relocate looks
 * without a lock for what to move. If another thread has just put new tables in place that are not yet filled, it finds
 * null, and it may also find a list that has become empty.
 *
 * When three values share their two hashes, the tables grow for ever; here an assertion stops that when they have
 * MAX_CAPACITY places. */

static bucket_t *list_of(set_t *set, int which, int value)
{
    return set->tables->at[which][hash(which, value) % set->capacity];
}

static bool present(set_t *set, int value)
{
    return bucket_contains(list_of(set, 0, value), value) || bucket_contains(list_of(set, 1, value), value);
}

/* Moves values to and fro, starting with one from this place. Fails if that does not come to an end. */
static bool relocate(set_t *set, int which, int place, int *me)
{
    for (int round = 0; round < LIMIT; round++) {
        bucket_t *from = set->tables->at[which][place];
        int value = from->first->value;
        int other_place = hash(1 - which, value) % set->capacity;
        acquire(set, value, me);
        bucket_t *to = set->tables->at[1 - which][other_place];
        bool moved = bucket_remove(from, value);
        bool done = false, failed = false;
        if (!moved)
            done = bucket_size(from) < THRESHOLD;
        else if (bucket_size(to) < PROBE_SIZE) {
            done = bucket_size(to) < THRESHOLD;
            bucket_add(to, value);
        } else {
            bucket_add(from, value);
            failed = true;
        }
        release(set, value, me);
        if (done || failed)
            return done;
        if (moved) {
            which = 1 - which;
            place = other_place;
        }
    }
    return false;
}

static bool add_as(set_t *set, int value, int *me)
{
    acquire(set, value, me);
    if (present(set, value)) {
        release(set, value, me);
        return false;
    }
    int capacity = set->capacity;
    int size[2];
    for (int which = 0; which < 2; which++)
        size[which] = bucket_size(list_of(set, which, value));
    bool fits = size[0] < THRESHOLD || size[1] < THRESHOLD;
    bool full = size[0] >= PROBE_SIZE && size[1] >= PROBE_SIZE;
    int limit = fits ? THRESHOLD : PROBE_SIZE;
    int which = size[0] < limit ? 0 : 1;
    if (!full)
        bucket_add(list_of(set, which, value), value);
    release(set, value, me);
    if (full) {
        resize(set, me);
        add_as(set, value, me);
    } else if (!fits && !relocate(set, which, hash(which, value) % capacity, me)) {
        resize(set, me);
    }
    return true;
}

static bool add(set_t *set, int value)
{
    int me;
    return add_as(set, value, &me);
}

static bool remove(set_t *set, int value)
{
    int me;
    acquire(set, value, &me);
    bool removed = bucket_remove(list_of(set, 0, value), value) || bucket_remove(list_of(set, 1, value), value);
    release(set, value, &me);
    return removed;
}

static bool contains(set_t *set, int value)
{
    int me;
    acquire(set, value, &me);
    bool found = present(set, value);
    release(set, value, &me);
    return found;
}
