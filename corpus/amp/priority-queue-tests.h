/* Tests of a priority queue `pq`. The operation a0 adds with score 0, and so on; each score comes once in a test, so that
 * there is never a choice of which entry to remove. */
#pragma fencepost init init_pq(&pq)
#pragma fencepost op a0 = add(&pq, any(10, 20), 0)
#pragma fencepost op a1 = add(&pq, any(11, 21), 1)
#pragma fencepost op a2 = add(&pq, any(12, 22), 2)
#pragma fencepost op r = remove_min(&pq, out)
#pragma fencepost test Seq  = ( a1 a0 r r r )
#pragma fencepost test A    = ( a0 | a1 r )
#pragma fencepost test R    = a0 a1 ( r | r )
#pragma fencepost test AR   = a1 ( a0 | r )
#pragma fencepost test AAR  = ( a0 a1 | r )
#pragma fencepost test ARR  = a1 ( a0 | r r )
#pragma fencepost test AARR = a1 ( a0 a2 | r | r )
