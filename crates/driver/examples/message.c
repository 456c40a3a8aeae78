/* A message and the flag that says it is there. On pso the flag can arrive first. */
int data, flag;

void put(int value)
{
    data = value;
    flag = 1;
}

int get(void)
{
    return flag ? data : -1;
}

#pragma fencepost op p = put(7)
#pragma fencepost op g = get()
#pragma fencepost test T = ( p | g )
