/* One path leaves the variable without a value. */
#pragma fencepost expect main sc violated

static int find(int wanted)
{
    int cells[3] = {4, 5, 6};
    int found;
    for (int i = 0; i < 3; i++)
        if (cells[i] == wanted)
            found = 1;
    return found ? wanted : -1; /* fault: undefined value used in arithmetic */
}

int main(void)
{
    return find(5) + find(7);
}
