/* Attacks: `calloc` makes an object of that many elements. The number of bytes does not fit a `size_t`, so that no such object can
 * be; what must not happen is a small object of the product's lower bits. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    char *all = calloc(SIZE_MAX / 2 + 1, 2);
    int *four = calloc(SIZE_MAX / 4 + 2, sizeof(int));
    assert(!all);
    assert(!four);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
