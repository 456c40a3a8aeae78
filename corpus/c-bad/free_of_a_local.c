/* What is freed is no heap object. */
#include <stdlib.h>
#pragma fencepost expect main sc violated

int main(void)
{
    int local = 0, *pointer = &local;
    free(pointer); /* fault: free of a pointer that malloc did not return */
    return 0;
}
