/* The operations of the closed-addressing hash sets, for files that say how a value's bucket is locked (acquire,
 * release), when the table is too full (policy) and how it grows (resize). The last argument of these is a place that
 * is different for every operation under way: it tells threads apart. */

static bool add(set_t *set, int value)
{
    int me;
    acquire(set, value, &me);
    bucket_t *bucket = bucket_of(set->table, value);
    bool absent = !bucket_contains(bucket, value);
    if (absent) {
        bucket_add(bucket, value);
        atomic_fetch_add(&set->size, 1);
    }
    release(set, value, &me);
    if (policy(set))
        resize(set, &me);
    return absent;
}

static bool remove(set_t *set, int value)
{
    int me;
    acquire(set, value, &me);
    bool present = bucket_remove(bucket_of(set->table, value), value);
    if (present)
        atomic_fetch_sub(&set->size, 1);
    release(set, value, &me);
    return present;
}

static bool contains(set_t *set, int value)
{
    int me;
    acquire(set, value, &me);
    bool present = bucket_contains(bucket_of(set->table, value), value);
    release(set, value, &me);
    return present;
}
