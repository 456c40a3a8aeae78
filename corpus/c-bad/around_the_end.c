/* An address so large that adding the size of the access wraps around. */
#include <stdint.h>
#pragma fencepost expect main sc violated

int x;

int main(void)
{
    return *(int *)(uintptr_t)-2; /* fault: access outside of any object */
}
