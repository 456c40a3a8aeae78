/* The tag is not taken off the pointer. */
#include <stdint.h>
#include <stdlib.h>
#pragma fencepost expect main sc violated

int main(void)
{
    char *bytes = malloc(8);
    bytes[7] = 1;
    uintptr_t word = (uintptr_t)bytes | 1;
    return ((char *)word)[7]; /* fault: access outside of any object */
}
