/* sizeof, offsetof, alignment. */
#include <assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#pragma fencepost expect main sc holds

struct a {
    char c;
    short s;
    char d;
    int i;
    char e;
    long l;
    char f;
};
struct b {
    struct a inner[2];
    char tail;
};
union u {
    char c[9];
    int i;
};
struct aligned {
    char c;
    _Alignas(16) char d;
};
struct over {
    int i;
} __attribute__((aligned(32)));
struct flexible {
    long n;
    char data[];
};
enum small { ONE = 1 };
struct odd {
    char c[3];
    short s;
};

_Static_assert(sizeof(int) == 4, "LP64");
_Static_assert(sizeof(struct a) == 32 && offsetof(struct b, tail) == 64, "layout");

int main(void)
{
    assert(sizeof(char) == 1 && sizeof(short) == 2 && sizeof(long) == 8 && sizeof(long long) == 8);
    assert(sizeof(void *) == 8 && sizeof(int (*)(void)) == 8 && sizeof(_Bool) == 1);
    assert(sizeof(size_t) == 8 && sizeof(ptrdiff_t) == 8 && sizeof(wchar_t) == 4 && sizeof(intmax_t) == 8);
    assert(offsetof(struct a, c) == 0 && offsetof(struct a, s) == 2 && offsetof(struct a, d) == 4);
    assert(offsetof(struct a, i) == 8 && offsetof(struct a, e) == 12 && offsetof(struct a, l) == 16);
    assert(offsetof(struct a, f) == 24);
    assert(sizeof(struct b) == 72 && offsetof(struct b, inner[1].l) == 48);
    assert(sizeof(union u) == 12 && _Alignof(union u) == 4);
    assert(sizeof(struct aligned) == 32 && alignof(struct aligned) == 16);
    assert(offsetof(struct aligned, d) == 16);
    assert(sizeof(struct over) == 32 && _Alignof(struct over) == 32 && sizeof(struct over[2]) == 64);
    assert(sizeof(struct flexible) == 8 && offsetof(struct flexible, data) == 8);
    assert(sizeof(enum small) == 4 && sizeof(ONE) == 4);
    assert(sizeof(struct odd) == 6 && offsetof(struct odd, s) == 4);
    assert(sizeof("hello") == 6 && sizeof(L"hi") == 12);
    int n = 3;
    assert(sizeof(n++) == 4 && n == 3);
    assert(sizeof n * 2 == 8 && sizeof(n) - 5 > 0);
    struct a x;
    assert(sizeof x.l == 8 && sizeof((struct a *)0)->s == 2 && (char *)&x.i - (char *)&x == 8);
    struct over o;
    assert((uintptr_t)&o % 4 == 0);
    alignas(8) char buffer[8];
    assert((uintptr_t)buffer % 8 == 0);
    assert(_Alignof(int) == 4 && _Alignof(long[3]) == 8);
    return 0;
}
