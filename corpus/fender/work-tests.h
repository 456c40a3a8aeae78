/* Tests for work-stealing queues that declare the operations p (push), t (take) and s (steal). Only the owner,
 * which is the first thread, pushes and takes. */
#pragma fencepost test PS   = ( p | s )
#pragma fencepost test TS   = p ( t | s )
#pragma fencepost test TSS  = p ( t | s | s )
#pragma fencepost test PTS  = ( p t | s )
#pragma fencepost test PPSS = ( p p | s s )
#pragma fencepost test TTSS = p p ( t t | s s )
#pragma fencepost test Over = p ( t p t | s )
#pragma fencepost test Full = p ( p p | s s )
#pragma fencepost test Mix  = p ( t p p t | s s )
