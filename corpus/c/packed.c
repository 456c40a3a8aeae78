/* Packed records, and records that fit one word. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#pragma fencepost expect main sc holds

struct __attribute__((packed)) pack {
    char a;
    int b;
    short c;
    long d;
};

struct __attribute__((packed)) across {
    unsigned a : 7;
    unsigned b : 30;
    unsigned c : 27;
};

#pragma pack(push, 2)
struct pragma_packed {
    char a;
    int b;
    char c;
};
#pragma pack(pop)

struct plain {
    char a;
    int b;
    char c;
};

struct word {
    uint32_t index;
    uint16_t count;
    uint8_t flag;
};

struct pair {
    int32_t x, y;
};

static struct pair swap(struct pair p) { return (struct pair){p.y, p.x}; }
static struct word stamp(struct word w)
{
    w.count++;
    w.flag = !w.flag;
    return w;
}

int main(void)
{
    assert(sizeof(struct pack) == 15 && _Alignof(struct pack) == 1);
    assert(offsetof(struct pack, b) == 1 && offsetof(struct pack, c) == 5 && offsetof(struct pack, d) == 7);
    struct pack p = {1, -2, 3, -4};
    struct pack q = p;
    q.b = 0x01020304;
    assert(p.a == 1 && p.b == -2 && p.c == 3 && p.d == -4);
    assert(q.a == 1 && q.b == 0x01020304 && q.c == 3 && q.d == -4);
    unsigned char *bytes = (unsigned char *)&q;
    assert(bytes[1] == 4 && bytes[4] == 1 && bytes[5] == 3 && bytes[14] == 255);

    assert(sizeof(struct across) == 8);
    struct across x = {.a = 0x7f, .b = 0x2aaaaaaa, .c = 0x5555555};
    assert(x.a == 0x7f && x.b == 0x2aaaaaaa && x.c == 0x5555555);
    x.b = 1;
    assert(x.a == 0x7f && x.b == 1 && x.c == 0x5555555);
    x.b -= 2;
    assert(x.a == 0x7f && x.b == 0x3fffffff && x.c == 0x5555555);

    assert(sizeof(struct pragma_packed) == 8 && offsetof(struct pragma_packed, b) == 2);
    assert(sizeof(struct plain) == 12 && offsetof(struct plain, b) == 4);

    struct pair a = {1, -2};
    struct pair b = swap(a);
    assert(b.x == -2 && b.y == 1 && swap(b).y == -2);
    b.x += 5;
    assert(b.x == 3 && b.y == 1 && a.x == 1 && a.y == -2);
    assert(*(uint64_t *)&b == 0x100000003u);

    struct word w = {.index = 0xffffffff, .count = 65535};
    w = stamp(w);
    assert(w.index == 0xffffffff && w.count == 0 && w.flag == 1);
    assert(stamp(stamp(w)).count == 2 && w.count == 0);
    struct word *at = &w;
    at->index = 5;
    at->flag--;
    assert(w.index == 5 && w.flag == 0 && w.count == 0);
    return 0;
}
