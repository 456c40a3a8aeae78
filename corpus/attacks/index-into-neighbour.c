/* Against: "addresses are numbers, and a gap between objects catches what is out of bounds". The index jumps
 * over the gap: from one array into the next, which is there and may be written. */
#pragma fencepost expect main sc violated
#pragma fencepost expect main relaxed violated
int a[4], b[4];
int *p = a;

int main(void)
{
    int distance = (int)(b - a);
    p[distance] = 1;
    return 0;
}
