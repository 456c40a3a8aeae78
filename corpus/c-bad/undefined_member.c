/* A member of the copied struct was never set. */
#include <assert.h>
#pragma fencepost expect main sc violated

struct pair {
    int a, b;
};

int main(void)
{
    struct pair p, q;
    p.a = 1;
    q = p;
    assert(q.a == 1);
    assert(q.b == 0); /* fault: undefined value used in arithmetic */
    return 0;
}
