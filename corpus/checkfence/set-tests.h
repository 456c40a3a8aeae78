/* The set tests of CheckFence's Figure 8 (Saa appears in its Figure 10 only), for files that declare the
 * operations a, c and r. The last is ours: Saacr without retries. */
#pragma fencepost test Sac    = ( a | c )
#pragma fencepost test Sar    = ( a | r )
#pragma fencepost test Saa    = ( a | a )
#pragma fencepost test Sacr   = ( a | c | r )
#pragma fencepost test Saacr  = a ( a | c | r )
#pragma fencepost test Sacr2  = a a r ( a | c | r )
#pragma fencepost test Saaarr = a a a ( r | r c )
#pragma fencepost test Sarr   = ( a | r | r )
#pragma fencepost test S1     = ( a' | a' | c' | c' | r' | r' )
#pragma fencepost test Sone   = a ( a' | c' | r' )
