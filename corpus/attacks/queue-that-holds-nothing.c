/* Attacks sweeps whose items look like nothing: `dequeue` says `NULL` when the queue is empty, and this one always is.
 * If the first item is `NULL`, too, all clients that add one item are right. A test has nothing to object: it takes
 * its specification from the operations themselves. */
static int calls;

static void enqueue(void *item)
{
    calls += item != 0;
}

static void *dequeue(void)
{
    return 0;
}

#pragma fencepost op e = enqueue(any(0, 1))
#pragma fencepost op d = dequeue()
#pragma fencepost oracle queue for e, d
#pragma fencepost test ED = ( e d )
#pragma fencepost expect ED sc holds
#pragma fencepost model sc
