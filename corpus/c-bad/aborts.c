/* An impossible case happens. */
#include <stdlib.h>
#pragma fencepost expect main sc violated

int main(void)
{
    for (int i = 0; i < 3; i++)
        switch (i) {
        case 0: break;
        case 1: break;
        default: abort(); /* fault: abort called */
        }
    return 0;
}
