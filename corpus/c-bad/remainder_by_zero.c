/* A table without slots. */
#pragma fencepost expect main sc violated

static unsigned slot(unsigned key, unsigned slots)
{
    return key % slots; /* fault: division by zero */
}

int main(void)
{
    return slot(7, 4) + slot(7, 0);
}
