/* The least number has no positive counterpart. */
#include <limits.h>
#pragma fencepost expect main sc violated

static volatile int by = -1;

int main(void)
{
    int x = INT_MIN;
    x /= by; /* fault: division overflow: the least value divided by -1 */
    return x;
}
