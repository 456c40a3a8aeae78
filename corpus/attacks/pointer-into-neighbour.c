/* Against: "arithmetic on a pointer is checked where it is made". Each step is small and is no access; only all
 * of them lead from one heap object to another. */
#pragma fencepost expect main sc violated
#pragma fencepost expect main relaxed violated
#include <stdlib.h>

int main(void)
{
    int *p = malloc(16), *q = malloc(16);
    if (q < p) {
        int *other = p;
        p = q;
        q = other;
    }
    for (int i = 0; i < 2000 && p != q; i++)
        p++;
    *p = 1;
    return 0;
}
