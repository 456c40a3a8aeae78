/* malloc does not clear memory. */
#include <stdlib.h>
#pragma fencepost expect main sc violated

int main(void)
{
    int *counts = malloc(2 * sizeof *counts);
    counts[0] = 0;
    counts[1]++; /* fault: undefined value used in arithmetic */
    free(counts);
    return 0;
}
