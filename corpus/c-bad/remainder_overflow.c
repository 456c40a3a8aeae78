/* The remainder would be zero, but the quotient does not fit. */
#include <limits.h>
#pragma fencepost expect main sc violated

int main(void)
{
    long x = LONG_MIN + 1;
    x -= 1;
    return x % -1L; /* fault: division overflow: the least value divided by -1 */
}
