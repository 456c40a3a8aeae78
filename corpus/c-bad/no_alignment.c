/* An alignment is a power of two. */
#include <stdlib.h>
#pragma fencepost expect main sc violated

int main(void)
{
    void *p = aligned_alloc(3, 9); /* fault: the alignment of an allocation is no power of two */
    free(p);
    return 0;
}
