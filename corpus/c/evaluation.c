/* What is evaluated once, what a condition is, and what an assignment returns. */
#include <assert.h>
#pragma fencepost expect main sc holds

struct pair {
    int a, b;
};
struct large {
    long cells[3];
};
static struct pair pairs[2];
static struct {
    unsigned a : 4, b : 4;
} fields[2];
static struct large global = {{1, 2, 3}};
static int calls;

static int next(void) { return calls++; }
static struct pair *pair(int i) { return &pairs[i]; }
static void *field(void)
{
    calls++;
    return &fields[1];
}
static struct large replace(void)
{
    struct large before = global;
    global.cells[0] = 99;
    return before;
}

static void places_are_evaluated_once(void)
{
    calls = 0;
    pair(next())->a = 5;
    pair(next())->b += 7;
    assert(pairs[0].a == 5 && pairs[1].b == 7 && calls == 2);
    calls = 0;
    ((typeof(&fields[0]))field())->b += 9;
    ((typeof(&fields[0]))field())->b++;
    assert(fields[1].b == 10 && fields[1].a == 0 && calls == 2);
    int cells[3] = {0}, i = 0;
    cells[i++] += 5;
    cells[i++] |= 6;
    ++cells[i];
    assert(cells[0] == 5 && cells[1] == 6 && cells[2] == 1 && i == 2);
    int *p = cells;
    *p++ += 1;
    assert(cells[0] == 6 && *p == 6);
    assert(*p++ == 6 && *--p == 6 && ++*p == 7 && (*p)-- == 7 && cells[1] == 6);
}

static void conditions_look_at_all_bits(void)
{
    long wide = 0x100000000;
    int rounds = 0;
    assert(wide && !!wide == 1 && !wide == 0 && (wide ? 1 : 0) && (wide || 0));
    for (; wide; wide >>= 16)
        rounds++;
    assert(rounds == 3);
    const char *text = "x";
    assert(text && !!text && (text ? 1 : 0));
    unsigned char byte = 0;
    if (--byte)
        rounds = 0;
    assert(rounds == 0 && byte == 255);
}

static void assignments_return_what_is_stored(void)
{
    unsigned char byte = 250;
    int value = byte += 10;
    assert(value == 4 && byte == 4);
    value = byte++;
    assert(value == 4);
    value = ++byte;
    assert(value == 6);
    value = fields[0].a = 31;
    assert(value == 15);
    _Bool flag;
    value = flag = 6;
    assert(value == 1);
    assert((byte = 256) == 0 && (byte -= 1) == 255);
    struct large copy;
    assert((copy = global).cells[2] == 3);
}

static void records_are_values(void)
{
    struct large old = replace();
    assert(old.cells[0] == 1 && global.cells[0] == 99);
    struct large later = (global.cells[0] = 5, global);
    struct large both[2] = {global, later};
    global.cells[1] = 77;
    assert(later.cells[0] == 5 && both[0].cells[1] == 2 && both[1].cells[1] == 2);
    struct large inner = ({
        struct large changed = global;
        changed.cells[2] = 8;
        changed;
    });
    assert(inner.cells[2] == 8 && global.cells[2] == 3);
    both[0] = both[1] = inner;
    both[1].cells[0] = -1;
    assert(both[0].cells[0] == 5 && inner.cells[0] == 5);
}

int main(void)
{
    places_are_evaluated_once();
    conditions_look_at_all_bits();
    assignments_return_what_is_stored();
    records_are_values();
    return 0;
}
