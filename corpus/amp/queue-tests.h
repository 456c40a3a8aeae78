/* Tests of a queue, for files that declare the operations e (enqueue) and d (dequeue). */
#pragma fencepost test Seq  = ( e e d d )
#pragma fencepost test ED   = ( e | d )
#pragma fencepost test EE   = ( e d | e )
#pragma fencepost test DD   = e e ( d | d )
#pragma fencepost test EEDD = ( e e | d d )
#pragma fencepost test EDED = e ( e d | e d )
