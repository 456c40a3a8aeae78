/* Tests of a set, for files that declare the operations a (add), c (contains) and r (remove). Operations before the
 * parentheses come first: most of the tests start with a set that may have a value. */
#pragma fencepost oracle set for a, c, r
#pragma fencepost test Seq  = ( a c r c )
#pragma fencepost test AA   = ( a | a )
#pragma fencepost test AR   = ( a | r )
#pragma fencepost test AC   = ( a | c )
#pragma fencepost test RR   = a ( r | r )
#pragma fencepost test RA   = a ( r | a c )
#pragma fencepost test ARC  = ( a r | c )
