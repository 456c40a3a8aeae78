/* A value that nobody uses is read nevertheless. */
#include <stdlib.h>
#pragma fencepost expect main sc violated

struct large {
    int cells[5];
};

int main(void)
{
    struct large *p = malloc(sizeof *p);
    p->cells[0] = 1;
    free(p);
    (void)*p; /* fault: access to freed memory */
    return 0;
}
