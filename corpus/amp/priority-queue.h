/* The operations of a priority queue `pq`. a0 adds the value 10 with score 0, and so on; each comes once in a test, so
 * that there is never a choice of which entry to remove, and every result says which one it was. */
#pragma fencepost init init_pq(&pq)
#pragma fencepost op a0 = add(&pq, 10, 0)
#pragma fencepost op a1 = add(&pq, 11, 1)
#pragma fencepost op a2 = add(&pq, 12, 2)
#pragma fencepost op r = remove_min(&pq, out)
#pragma fencepost op add = add(&pq, any(0, 1), any(0, 1))
#pragma fencepost oracle priority-queue for add, r
