/* The deque tests of CheckFence's Figure 8, for files that declare al, ar, rl and rr: add and remove, left
 * and right. The last is ours: Dm seen in a mirror. */
#pragma fencepost test D0 = ( al rr | ar rl )
#pragma fencepost test Da = al al ( rr rr | rl rl )
#pragma fencepost test Db = ( rr rl | ar | al )
#pragma fencepost test Dm = ( al' al' al' | rr' rr' rr' | rl' | ar' )
#pragma fencepost test Dq = ( al' | al' | ar' | ar' | rl' | rl' | rr' | rr' )
#pragma fencepost test Dw = ( ar' ar' ar' | rl' rl' rl' | rr' | al' )
