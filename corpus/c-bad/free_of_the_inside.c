/* What is freed was not allocated: it lies inside of something that was. */
#include <stdlib.h>
#pragma fencepost expect main sc violated

int main(void)
{
    int *cells = malloc(4 * sizeof *cells);
    free(cells + 1); /* fault: free of a pointer that malloc did not return */
    return 0;
}
