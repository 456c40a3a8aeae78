/* Against: "an access to a member needs no check, the access itself finds what is outside". The member is so
 * far away that another object lies there. */
#pragma fencepost expect main sc violated
#pragma fencepost expect main relaxed violated
#include <stdlib.h>

struct wide {
    char pad[5000];
    int far;
};

int main(void)
{
    struct wide *p = malloc(4);
    char *around = malloc(16000);
    around[0] = 0;
    p->far = 1;
    return 0;
}
