/* The terminating zero has no room. */
#include <stdlib.h>
#include <string.h>
#pragma fencepost expect main sc violated

int main(void)
{
    const char *text = "four";
    char *copy = malloc(strlen(text));
    size_t i = 0;
    do
        copy[i] = text[i]; /* fault: access outside of any object */
    while (text[i++]);
    free(copy);
    return 0;
}
