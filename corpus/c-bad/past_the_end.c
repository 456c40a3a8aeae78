/* One element too many is written. */
#pragma fencepost expect main sc violated

static int cells[4];

int main(void)
{
    for (int i = 0; i <= 4; i++)
        cells[i] = i; /* fault: index outside of the array */
    return 0;
}
