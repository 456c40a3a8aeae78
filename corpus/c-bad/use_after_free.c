/* The list is walked while it is freed. */
#include <stdlib.h>
#pragma fencepost expect main sc violated

struct node {
    struct node *next;
};

int main(void)
{
    struct node *list = NULL;
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        list = node;
    }
    for (; list; list = list->next) /* fault: access to freed memory */
        free(list);
    return 0;
}
