/* Bit-fields: layout, truncation, promotion, neighbours that must not change. */
#include <assert.h>
#include <string.h>
#pragma fencepost expect main sc holds

struct mixed {
    unsigned a : 3;
    signed b : 5;
    unsigned c : 24;
    int d : 1;
    _Bool e : 1;
    unsigned : 0;
    unsigned char f : 4;
    unsigned char g : 4;
    unsigned short h;
};

struct wide {
    unsigned long low : 40;
    unsigned long high : 24;
    long next : 33;
};

enum color { RED, GREEN, BLUE, BLACK };
struct painted {
    enum color color : 2;
    unsigned rest : 30;
};

static struct mixed global = {.b = -3, .e = 1, .g = 9};

static void truncation(void)
{
    struct mixed m = {0};
    m.a = 9;
    assert(m.a == 1);
    assert((m.a = 15) == 7);
    m.b = 16;
    assert(m.b == -16);
    m.b--;
    assert(m.b == 15);
    m.c = -1;
    assert(m.c == 0xffffff);
    assert(++m.c == 0);
    m.d = 1;
    assert(m.d == -1);
    m.e = 4;
    assert(m.e == 1);
    m.f = 0x5a;
    m.g += 0x13;
    assert(m.f == 10 && m.g == 3);
    assert(m.f++ == 10 && m.f == 11);
    m.f <<= 1;
    assert(m.f == 6);
    m.h = 0xbeef;
    assert(m.a == 7 && m.b == 15 && m.c == 0 && m.d == -1 && m.e == 1 && m.g == 3 && m.h == 0xbeef);
}

static void promotion(void)
{
    struct mixed m = {.a = 1, .c = 1};
    assert(m.a - 2 < 0);
    assert(m.c - 2 < 0);
    struct wide w = {.low = 0xffffffffff, .high = 1, .next = -1};
    assert(w.next == -1);
    assert(w.low + 1 == 0);
    assert(w.low << 8 == 0xffffffff00);
    assert(w.high - 2 == -1);
    w.high--;
    w.high--;
    assert(w.high == 0xffffff && w.low == 0xffffffffff);
    w.next = 1l << 32;
    assert(w.next == -(1l << 32));
}

static void layout(void)
{
    assert(sizeof(struct mixed) == 12);
    assert(sizeof(struct wide) == 16);
    assert(sizeof(struct painted) == 4);
    struct {
        char c;
        int bits : 20;
    } next_to_char;
    assert(sizeof(next_to_char) == 4);
    union {
        struct {
            unsigned low : 4, high : 28;
        };
        unsigned word;
    } u = {.word = 0x12345678};
    assert(u.low == 8 && u.high == 0x1234567);
    u.low = 0xf;
    assert(u.word == 0x1234567f);
    unsigned char bytes[4];
    memcpy(bytes, &u, 4);
    assert(bytes[0] == 0x7f && bytes[3] == 0x12);
}

static struct painted paint(enum color color)
{
    struct painted p = {color, 77};
    return p;
}

int main(void)
{
    truncation();
    promotion();
    layout();
    assert(global.a == 0 && global.b == -3 && global.e == 1 && global.f == 0 && global.g == 9);
    global.b += 5;
    assert(global.b == 2 && global.g == 9);
    struct painted p = paint(BLACK);
    assert(p.color == BLACK && p.rest == 77);
    p.color = GREEN;
    assert(p.color == GREEN && p.rest == 77);
    assert(paint(BLUE).color == 2);
    return 0;
}
