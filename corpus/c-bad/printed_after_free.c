/* What is printed is read. */
#include <stdio.h>
#include <stdlib.h>
#pragma fencepost expect main sc violated

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
    printf("%d\n", *p); /* fault: access to freed memory */
    return 0;
}
