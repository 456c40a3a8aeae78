/* A mask of all 32 bits is shifted by 32. */
#include <assert.h>
#pragma fencepost expect main sc violated

static unsigned mask(unsigned bits)
{
    return (1u << bits) - 1; /* fault: shift count outside of the type's width */
}

int main(void)
{
    assert(mask(8) == 255);
    return mask(32) != 0;
}
