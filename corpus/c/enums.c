/* Enumerations, typedefs, _Generic. */
#include <assert.h>
#include <stdint.h>
#pragma fencepost expect main sc holds

enum fruit { APPLE, PEAR = 5, PLUM, FIG = PEAR, LAST = PLUM + 10 };
enum sign { MINUS = -1, ZERO, ONE };
enum big { HUGE = 0x80000000u };
enum { ANONYMOUS = 1 << 4, MASK = ANONYMOUS - 1 };
typedef enum fruit fruit_t;
typedef struct point point;
struct point {
    int x, y;
};
typedef int vector[3], *pointer, function(int);
typedef point pair[2];

static fruit_t pick(int n) { return n ? PLUM : APPLE; }
static function negate;
static int negate(int n) { return -n; }

#define kind(x)                 \
    _Generic((x),               \
        char: 1,                \
        signed char: 2,         \
        unsigned char: 3,       \
        int: 4,                 \
        unsigned: 5,            \
        long: 6,                \
        unsigned long: 7,       \
        long long: 8,           \
        _Bool: 9,               \
        char *: 10,             \
        const char *: 11,       \
        int *: 12,              \
        void *: 13,             \
        point: 14,              \
        int (*)(int): 15,       \
        default: 0)

int main(void)
{
    assert(APPLE == 0 && PEAR == 5 && PLUM == 6 && FIG == 5 && LAST == 16 && MASK == 15);
    enum fruit f = PLUM;
    f++;
    assert(f == 7 && pick(1) == PLUM && pick(0) == APPLE);
    enum sign s = MINUS;
    assert(s < ZERO && s == -1 && -s == ONE);
    assert((enum fruit)-1 > 0);
    assert(HUGE > 0 && HUGE == 2147483648u);
    int counts[LAST] = {[PEAR] = 2};
    assert(sizeof counts == 64 && counts[FIG] == 2);
    switch (f) {
    case 7: break;
    default: assert(0);
    }
    vector v = {1, 2, 3};
    pointer p = v;
    pair q = {{1, 2}, {3, 4}};
    assert(p[1] == 2 && q[1].x == 3 && negate(4) == -4);
    {
        typedef long vector;
        vector fruit = sizeof(vector);
        enum { APPLE = 77 };
        assert(fruit == 8 && APPLE == 77);
    }
    assert(sizeof(vector) == 12 && APPLE == 0);

    char c = 0;
    signed char sc = 0;
    unsigned char uc = 0;
    short h = 0;
    const int ci = 1;
    point pt = {0, 0};
    assert(kind(c) == 1 && kind(sc) == 2 && kind(uc) == 3 && kind(h) == 0 && kind(ci) == 4);
    assert(kind(c + c) == 4 && kind(1u) == 5 && kind(1l) == 6 && kind(1ul) == 7 && kind(1ll) == 8);
    assert(kind((_Bool)1) == 9 && kind("text") == 10 && kind((const char *)0) == 11 && kind(v) == 12);
    assert(kind((void *)0) == 13 && kind(pt) == 14 && kind(negate) == 15 && kind(APPLE) == 5 - 1);
    assert(kind(sizeof 1) == 7 && kind(1 == 1) == 4 && kind('a') == 4 && kind(1u + 1l) == 6);
    assert(kind((int64_t)0) == 6 && kind(&ci - &ci) == 6 && kind(1 ? 1 : 1ul) == 7);
    assert(kind(h << 1l) == 4 && kind(-uc) == 4 && kind(uc++) == 3 && kind((uc += 1l)) == 3);
    return 0;
}
