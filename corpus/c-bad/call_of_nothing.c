/* A function pointer was never set. */
#pragma fencepost expect main sc violated

static int (*handlers[2])(int);
static int negate(int n) { return -n; }

int main(void)
{
    handlers[0] = negate;
    return handlers[0](1) + handlers[1](1); /* fault: call through a pointer to no fitting function */
}
