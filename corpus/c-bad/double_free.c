/* Both owners free. */
#include <stdlib.h>
#pragma fencepost expect main sc violated

int main(void)
{
    int *a = malloc(sizeof *a), *b = a;
    free(a);
    free(b); /* fault: memory freed twice */
    return 0;
}
