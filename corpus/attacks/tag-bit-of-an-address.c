/* Against: "objects lie at round addresses". Bit 4 of what malloc returns is not free for a mark: the pointer
 * has it itself, and the mark that is taken off was never put there. */
#pragma fencepost expect main sc violated
#pragma fencepost expect main relaxed violated
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(24);
    *p = 1;
    uintptr_t marked = (uintptr_t)p | 16;
    int *back = (int *)(marked & ~(uintptr_t)16);
    return *back - 1;
}
