/* Alignments that attributes raise or lower. */
#include <assert.h>
#include <stddef.h>
#pragma fencepost expect main sc holds

typedef int anywhere __attribute__((aligned(1)));
typedef anywhere again;
typedef anywhere even __attribute__((aligned(2)));
typedef int wide __attribute__((aligned(16)));
typedef wide lowered __attribute__((aligned(2)));
typedef int last __attribute__((aligned(2), aligned(1)));
typedef __attribute__((aligned(1))) int first __attribute__((aligned(2)));
typedef long long half __attribute__((aligned(4)));
typedef anywhere some[3];
typedef int packed_some[3] __attribute__((aligned(1)));
typedef struct plain {
    int i;
} loose __attribute__((aligned(1)));
typedef enum { ZERO } choice __attribute__((aligned(1)));

struct direct { char c; anywhere x; };
struct qualified { char c; const anywhere x; };
struct asked { char c; anywhere x __attribute__((aligned(2))); };
struct alignas { char c; _Alignas(8) anywhere x; };
struct member { char c; int x __attribute__((aligned(1))); };
struct array { char c; anywhere x[2]; };
struct named_array { char c; some x; };
struct loose_array { char c; packed_some x; };
struct record { char c; loose x; };
struct strict { char c; struct plain x; };
struct nested { char c; struct { anywhere x; } inner; };
struct atomic { char c; _Atomic anywhere x; };
struct pointer { char c; anywhere *x; };
struct several { char c; anywhere x, *y, z[2]; };
struct of_type { char c; __typeof__(anywhere) x; };
struct of_member { short c; __typeof__(((struct direct *)0)->x) x; };
struct of_value { short c; __typeof__((anywhere)0) x; };
struct enumeration { char c; choice x; };
struct open { char c; anywhere x[]; };
struct __attribute__((packed)) packed { char c; wide x; };
#pragma pack(2)
struct limited { char c; wide x; };
struct not_limited { char c; anywhere x; };
#pragma pack()
struct bits { char c; anywhere x : 30; };
struct more_bits { char c; anywhere x : 30, y : 30; };
struct half_bits { char c; half x : 40; };
struct wide_bits { char c; wide x : 5; };
struct closed { char c; anywhere : 0; char d; };
struct closed_wide { char c; wide : 0; char d; };
union either { anywhere x; char c; };

int main(void)
{
    assert(_Alignof(anywhere) == 1 && _Alignof(again) == 1 && _Alignof(even) == 2 && _Alignof(wide) == 16);
    assert(_Alignof(lowered) == 2 && _Alignof(last) == 1 && _Alignof(first) == 1 && _Alignof(half) == 4);
    assert(_Alignof(some) == 1 && _Alignof(packed_some) == 1 && _Alignof(anywhere[3]) == 1);
    assert(_Alignof(loose) == 1 && _Alignof(struct plain) == 4 && _Alignof(choice) == 1);
    assert(_Alignof(const anywhere) == 1 && _Alignof(_Atomic(anywhere)) == 4 && _Alignof(_Atomic wide) == 16);
    assert(_Alignof(anywhere *) == 8 && _Alignof(int __attribute__((aligned(1)))) == 1);
    assert(sizeof(struct direct) == 5 && sizeof(struct qualified) == 5 && sizeof(struct asked) == 6);
    assert(sizeof(struct alignas) == 16 && sizeof(struct member) == 8 && sizeof(struct array) == 9);
    assert(sizeof(struct named_array) == 13 && sizeof(struct loose_array) == 13 && sizeof(struct record) == 5);
    assert(sizeof(struct strict) == 8 && sizeof(struct nested) == 5 && sizeof(struct atomic) == 8);
    assert(sizeof(struct pointer) == 16 && sizeof(struct several) == 24 && sizeof(struct of_type) == 5);
    assert(sizeof(struct of_member) == 6 && sizeof(struct of_value) == 8 && sizeof(struct enumeration) == 5);
    assert(sizeof(struct open) == 1 && sizeof(struct packed) == 5 && sizeof(struct limited) == 6);
    assert(sizeof(struct not_limited) == 5 && sizeof(struct bits) == 5 && sizeof(struct more_bits) == 9);
    assert(sizeof(struct half_bits) == 8 && _Alignof(struct half_bits) == 4 && sizeof(struct wide_bits) == 32);
    assert(sizeof(struct closed) == 2 && sizeof(struct closed_wide) == 17 && _Alignof(union either) == 1);

    struct more_bits b = {1, -5, 7};
    assert(b.c == 1 && b.x == -5 && b.y == 7);
    b.x = 0x1234567;
    assert(b.c == 1 && b.x == 0x1234567 && b.y == 7);
    struct direct d[2] = {{1, 0x01020304}, {2, 0x05060708}};
    anywhere *p = &d[1].x;
    assert((char *)p - (char *)d == 6 && *p == 0x05060708 && ((char *)d)[4] == 1);
    int *q = p;
    assert(*q == 0x05060708 && __alignof__(*p) == 1 && __alignof__(*q) == 4);
    return 0;
}
