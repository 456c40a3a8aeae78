/* The sum is wrong. */
#include <assert.h>
#pragma fencepost expect main sc violated

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += i;
    assert(sum == 10); /* fault: assertion failed: sum == 10 */
    return 0;
}
