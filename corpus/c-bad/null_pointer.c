/* The end of the list is not looked for. */
#include <stddef.h>
#pragma fencepost expect main sc violated

struct node {
    struct node *next;
    int value;
};

int main(void)
{
    struct node last = {NULL, 2}, first = {&last, 1};
    struct node *at = &first;
    for (int i = 0; i < 2; i++)
        at = at->next;
    return at->value; /* fault: access through a null pointer */
}
