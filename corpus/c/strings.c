/* String literals, and the functions of <string.h>. */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#pragma fencepost expect main sc holds

static const char *const names[] = {"zero", "one", "two"};

static size_t length(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return end - text;
}

static int number(const char *digits)
{
    int value = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        value = 10 * value + (*digits - '0');
    return value;
}

static void copy(char *to, const char *from)
{
    while ((*to++ = *from++))
        ;
}

struct record {
    char c;
    int i;
    long l[2];
};

int main(void)
{
    assert(strlen("") == 0 && strlen("hello") == 5 && length("ab\0cd") == 2);
    assert(strcmp("abc", "abc") == 0 && strcmp("abc", "abd") < 0 && strcmp("b", "abc") > 0);
    assert(strcmp("ab", "abc") < 0 && strcmp("\xff", "a") > 0);
    assert(memcmp("abc", "abd", 2) == 0 && memcmp("abc", "abd", 3) < 0);
    assert("con" "cat"[1] == 'o' && *("xyz" + 2) == 'z' && "abc"[3] == 0);
    assert(strcmp(names[2], "two") == 0 && names[1][2] == 'e');
    assert(number("1234x") == 1234);
    char buffer[8];
    copy(buffer, "seven");
    assert(buffer[0] == 's' && buffer[5] == 0 && strlen(buffer) == 5);
    buffer[0] = 'S';
    assert(strcmp(buffer, "Seven") == 0);
    assert("\t\\\"\x41\101"[3] == 'A' && sizeof("\x41\101") == 3);
    assert(__func__[0] == 'm' && sizeof(__func__) == 5);

    struct record a = {'a', 1, {2, 3}}, b;
    memcpy(&b, &a, sizeof a);
    assert(b.c == 'a' && b.i == 1 && b.l[1] == 3);
    memset(&a, 0, sizeof a);
    assert(a.c == 0 && a.i == 0 && a.l[0] == 0 && a.l[1] == 0 && b.l[0] == 2);
    memset(a.l, 0xff, sizeof a.l);
    assert(a.l[0] == -1 && a.l[1] == -1 && a.i == 0);
    int cells[5] = {1, 2, 3, 4, 5};
    memmove(cells + 1, cells, 4 * sizeof(int));
    assert(cells[0] == 1 && cells[1] == 1 && cells[2] == 2 && cells[4] == 4);
    memmove(cells, cells + 2, 3 * sizeof(int));
    assert(cells[0] == 2 && cells[1] == 3 && cells[2] == 4 && cells[3] == 3);
    assert(memcpy(cells, &cells[4], sizeof(int)) == cells && cells[0] == 4);
    return 0;
}
