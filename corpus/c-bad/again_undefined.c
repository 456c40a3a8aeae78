/* A declaration that a jump comes back to leaves its variable undefined again. */
#pragma fencepost expect main sc violated

int main(void)
{
    int rounds = 0;
again:;
    int cell, *p = &cell;
    if (rounds == 0)
        *p = 1;
    if (*p != 1) /* fault: undefined value used in arithmetic */
        return 1;
    if (++rounds < 2)
        goto again;
    return 0;
}
