/* Unions and the bytes that objects are made of. */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#pragma fencepost expect main sc holds

union number {
    uint64_t whole;
    uint32_t half[2];
    uint16_t quarter[4];
    uint8_t byte[8];
    struct {
        int32_t low;
        int32_t high;
    };
};

struct message {
    int kind;
    union {
        int number;
        void *pointer;
        struct {
            char first, second;
        } text;
    } body;
};

static union number global = {.half = {[1] = 7}};
static union number first = {0x1122334455667788};

static int read(struct message m)
{
    switch (m.kind) {
    case 0: return m.body.number;
    case 1: return *(int *)m.body.pointer;
    default: return m.body.text.first * 10 + m.body.text.second;
    }
}

int main(void)
{
    union number n = {.whole = 0x0102030405060708};
    assert(n.half[0] == 0x05060708 && n.half[1] == 0x01020304);
    assert(n.quarter[3] == 0x0102 && n.byte[0] == 8 && n.byte[7] == 1);
    n.byte[3] = 0xff;
    assert(n.whole == 0x01020304ff060708);
    n.low = -1;
    assert(n.whole == 0x01020304ffffffff);
    n.high = n.low;
    assert(n.whole == UINT64_MAX);
    n.quarter[1] = 0;
    assert(n.whole == 0xffffffff0000ffff && n.low == 0xffff && n.high == -1);
    assert(sizeof n == 8);

    assert(global.whole == 0x700000000 && global.high == 7);
    assert(first.byte[0] == 0x88 && first.half[1] == 0x11223344);

    int target = 41;
    struct message m = {0, {5}};
    assert(read(m) == 5);
    m.kind = 1;
    m.body.pointer = &target;
    assert(read(m) == 41);
    assert(read((struct message){2, {.text = {3, 4}}}) == 34);

    uint32_t word = 0xdeadbeef;
    unsigned char bytes[4];
    memcpy(bytes, &word, sizeof word);
    assert(bytes[0] == 0xef && bytes[1] == 0xbe && bytes[2] == 0xad && bytes[3] == 0xde);
    memset(&word, 0x5a, sizeof word);
    assert(word == 0x5a5a5a5a);
    signed char *at = (signed char *)&word;
    at[2] = -1;
    assert(word == 0x5aff5a5a);

    union {
        struct {
            char a;
            short b;
        } s;
        int i;
    } mix;
    mix.i = 0;
    mix.s.b = -2;
    assert(mix.i == (int)0xfffe0000);
    return 0;
}
