/* Globals, static locals, scopes, tentative definitions. */
#include <assert.h>
#pragma fencepost expect main sc holds

int tentative;
int open[];
int open[3] = {1, 2};
int tentative = 4;
extern int later;
static int untouched;
static int *points_forward = &later;
const int fixed = 12;
struct state {
    int count;
    int *where;
} state = {1, &tentative};

static int counter(void)
{
    static int count = 10;
    return count++;
}

static int other_counter(int reset)
{
    static int count;
    if (reset)
        count = 0;
    return ++count;
}

static int *remember(int value)
{
    static int slots[4];
    static int used;
    slots[used] = value;
    return &slots[used++];
}

static int x = 1;
static int outer_x(void) { return x; }

static int shadow(int x)
{
    int result = x;
    {
        int x = 100;
        result += x;
        {
            extern int later;
            result += later;
        }
        x++;
    }
    for (int x = 0; x < 3; x++)
        result += x;
    result += x;
    return result;
}

int later = 1000;

static int fresh_in_loop(void)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        static int kept = 5;
        int local = 1;
        sum += local + kept;
        local = 50;
        kept++;
    }
    return sum;
}

int main(void)
{
    assert(sizeof open == 12 && open[1] == 2 && open[2] == 0);
    assert(tentative == 4 && untouched == 0 && fixed == 12);
    assert(*points_forward == 1000 && state.count == 1 && *state.where == 4);
    *state.where = 5;
    assert(tentative == 5);
    assert(counter() == 10 && counter() == 11 && counter() == 12);
    assert(other_counter(0) == 1 && other_counter(0) == 2 && other_counter(1) == 1);
    int *a = remember(7), *b = remember(8);
    assert(*a == 7 && *b == 8 && b - a == 1);
    int x = 2;
    assert(x == 2 && outer_x() == 1);
    assert(shadow(10) == 10 + 100 + 1000 + 3 + 10);
    assert(fresh_in_loop() == 4 + 26);
    assert(fresh_in_loop() == 4 + 42);
    register int fast = 3;
    volatile int seen = fast;
    seen++;
    assert(seen == 4);
    return 0;
}
