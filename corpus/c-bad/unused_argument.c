/* Arguments for which there is no parameter are evaluated. */
#pragma fencepost expect main sc violated

static int first(int count, ...)
{
    return count;
}

int main(void)
{
    int *p = 0;
    return first(0, *p); /* fault: access through a null pointer */
}
