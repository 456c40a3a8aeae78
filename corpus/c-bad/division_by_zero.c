/* The mean of nothing. */
#pragma fencepost expect main sc violated

static int mean(const int *cells, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += cells[i];
    return sum / n; /* fault: division by zero */
}

int main(void)
{
    int cells[2] = {1, 3};
    return mean(cells, 2) + mean(cells, 0);
}
