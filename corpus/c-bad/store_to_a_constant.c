/* A string literal is changed. */
#pragma fencepost expect main sc violated

static void capitalise(char *text)
{
    *text -= 'a' - 'A'; /* fault: store to a constant object */
}

int main(void)
{
    char *name = "name";
    capitalise(name);
    return 0;
}
