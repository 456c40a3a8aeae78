/* Statements: switch, goto, loops, break, continue, and what is evaluated of &&, ||, ?: and comma. */
#include <assert.h>
#pragma fencepost expect main sc holds

static int classify(int n)
{
    int result = 0;
    switch (n) {
    case -1: result = 5; break;
    case 0:
    case 1: result += 1; /* falls through */
    case 2: result += 10; break;
    default: result = 100;
    case 7: result += 7; break;
    case 10 ... 12: return 1012;
    }
    return result;
}

static int unsigned_switch(unsigned char c)
{
    switch (c) {
    case 255: return 1;
    case 'a': return 2;
    }
    return 3;
}

static int wide_switch(long n)
{
    switch (n) {
    case 0x100000000: return 1;
    case 0: return 2;
    }
    return 3;
}

static int nested(int a, int b)
{
    switch (a) {
    case 1:
        switch (b) {
        case 1: return 11;
        default: break;
        }
        return 19;
    default:
        for (;;) {
            if (b > 3)
                break;
            b++;
        }
        return b;
    }
}

static int loops(void)
{
    int sum = 0, i = 0;
    while (i < 10) {
        i++;
        if (i % 2)
            continue;
        if (i == 8)
            break;
        sum += i;
    }
    do
        sum += 100;
    while (sum < 300);
    for (i = 0; i < 3; i++)
        for (int j = 0;; j++) {
            if (j > i)
                break;
            if (j == 1)
                continue;
            sum++;
        }
    do {
        if (sum)
            continue;
        sum = -1;
    } while (0);
    for (int a = 0, b = 5; a < b; a++, b--)
        sum += 1000;
    return sum;
}

static int jumps(int n)
{
    int steps = 0;
again:
    steps++;
    if (n > 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        goto again;
    }
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            if (i * j == 6)
                goto found;
    return -1;
found:
    return steps;
}

static int calls;
static int yes(void)
{
    calls++;
    return 2;
}
static int no(void)
{
    calls += 10;
    return 0;
}

static void partly(void)
{
    calls = 0;
    assert((yes() && no()) == 0 && calls == 11);
    calls = 0;
    assert((no() && yes()) == 0 && calls == 10);
    calls = 0;
    assert((yes() || no()) == 1 && calls == 1);
    calls = 0;
    assert((no() || yes()) == 1 && calls == 11);
    calls = 0;
    assert((yes() ? 5 : no()) == 5 && calls == 1);
    calls = 0;
    assert((yes() ?: no()) == 2 && calls == 1);
    calls = 0;
    assert((no() ?: 9) == 9 && calls == 10);
    calls = 0;
    int value = (yes(), no(), 4);
    assert(value == 4 && calls == 11);
    calls = 0;
    assert(!(no() && yes() || no()) && calls == 20);
    assert((1 ? 2 : 0 ? 3 : 4) == 2);
    assert((0 ? 2 : 0 ? 3 : 4) == 4);
    int a = 1, b = 2;
    *(a < b ? &a : &b) = 7;
    assert(a == 7 && b == 2);
    calls = 0;
    (void)sizeof(yes());
    assert(calls == 0);
}

static int dangling(int a, int b)
{
    if (a)
        if (b)
            return 1;
        else
            return 2;
    return 3;
}

int main(void)
{
    assert(classify(-1) == 5 && classify(0) == 11 && classify(2) == 10 && classify(7) == 7);
    assert(classify(3) == 107 && classify(11) == 1012);
    assert(unsigned_switch(-1) == 1 && unsigned_switch(97) == 2 && unsigned_switch(0) == 3);
    assert(wide_switch(1l << 32) == 1 && wide_switch(0) == 2 && wide_switch(1) == 3);
    assert(nested(1, 1) == 11 && nested(1, 2) == 19 && nested(0, 0) == 4);
    assert(loops() == 3000 + 312 + 4);
    assert(jumps(6) == 9);
    partly();
    assert(dangling(1, 1) == 1 && dangling(1, 0) == 2 && dangling(0, 1) == 3);
    return 0;
}
