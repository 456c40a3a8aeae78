/* An index falls below zero. */
#pragma fencepost expect main sc violated

int main(void)
{
    int cells[3] = {1, 2, 3}, sum = 0;
    for (int i = 2; i >= -1; i--)
        sum += cells[i]; /* fault: index outside of the array */
    return sum;
}
