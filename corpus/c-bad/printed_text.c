/* `%s` reads the text it is given. */
#include <stdio.h>
#include <stdlib.h>
#pragma fencepost expect main sc violated

int main(void)
{
    char *name = malloc(3);
    name[0] = 'a';
    name[1] = 0;
    printf("%d: %s\n", 1, name);
    free(name);
    printf("%d: %s\n", 2, name); /* fault: access to freed memory */
    return 0;
}
