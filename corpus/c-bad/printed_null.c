/* So is what stands behind a null pointer. */
#include <stdio.h>
#pragma fencepost expect main sc violated

struct node {
    int value;
    struct node *next;
};
static struct node last;

int main(void)
{
    fprintf(stderr, "%d\n", last.next->value); /* fault: access through a null pointer */
    return 0;
}
