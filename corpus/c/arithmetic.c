/* Operators on signed and unsigned numbers: wrapping, division, shifts, compound assignment. */
#include <assert.h>
#include <stdint.h>
#pragma fencepost expect main sc holds

static void wrapping(void)
{
    int i = 2147483647;
    i++;
    assert(i == -2147483647 - 1);
    i--;
    assert(i == 2147483647);
    i = i * 2;
    assert(i == -2);
    unsigned u = 0;
    u--;
    assert(u == 4294967295u);
    int8_t c = 127;
    c++;
    assert(c == -128);
    c -= 1;
    assert(c == 127);
    assert(c++ == 127 && c == -128);
    assert(--c == 127);
    uint16_t h = 40000;
    h += 40000;
    assert(h == 14464);
    h *= 3;
    assert(h == 43392);
    long l = 1l << 62;
    l *= 4;
    assert(l == 0);
    assert(-(-2147483647 - 1) == -2147483647 - 1);
}

static void division(void)
{
    int a = -7, b = 2;
    assert(a / b == -3);
    assert(a % b == -1);
    assert(7 / -b == -3);
    assert(7 % -b == 1);
    assert(a / 1u == 4294967289u);
    assert((unsigned)a / b == 2147483644u);
    assert((unsigned)a % 10 == 9);
    int8_t c = -128;
    c /= -1;
    assert(c == -128);
    c = 100;
    c /= 7;
    assert(c == 14);
    c %= 5;
    assert(c == 4);
    long l = -9223372036854775807;
    assert(l / 10 == -922337203685477580);
    assert(l % 10 == -7);
    unsigned char d = 7;
    d /= -1;
    assert(d == 249);
}

static void shifts(void)
{
    int one = 1, n = 31;
    assert(one << n == -2147483647 - 1);
    assert(1u << n == 2147483648u);
    assert(-8 >> one == -4);
    assert(-1 >> n == -1);
    assert(0xfffffff8u >> one == 0x7ffffffc);
    assert(1l << 40 == 1099511627776);
    unsigned char c = 0x81;
    assert(c << 1 == 0x102);
    assert((unsigned char)(c << 1) == 2);
    c <<= 1;
    assert(c == 2);
    int8_t s = -128;
    s >>= 3;
    assert(s == -16);
    s <<= 4;
    assert(s == 0);
    uint64_t w = 1;
    w <<= (char)63;
    assert(w == 0x8000000000000000u);
    w >>= 63ull;
    assert(w == 1);
    assert(sizeof(c << 1l) == 4);
    assert((one << 1l) - 3 < 0);
}

static void bits(void)
{
    unsigned a = 0xf0f0f0f0, b = 0x0ff00ff0;
    assert((a & b) == 0x00f000f0);
    assert((a | b) == 0xfff0fff0);
    assert((a ^ b) == 0xff00ff00);
    assert(~a == 0x0f0f0f0f);
    assert((a & -a) == 0x10);
    a &= 0xff;
    a |= 0x100;
    a ^= 0x11;
    assert(a == 0x1e1);
    int8_t m = 0x0f;
    m ^= -1;
    assert(m == -16);
    m &= 0x7f;
    assert(m == 112);
    m |= 0x80;
    assert(m == -16);
    assert(!0 == 1 && !5 == 0 && !!5 == 1);
    assert(1 + 2 * 3 - 4 / 2 % 3 == 5);
    assert((1 | 2 ^ 3 & 4) == 3);
    assert((1 << 2 + 1) == 8);
    assert((5 & 4 == 4) == 1);
}

static void values_of_assignments(void)
{
    uint8_t small;
    int large = (small = 300);
    assert(large == 44);
    large = small += 250;
    assert(large == 38 && small == 38);
    int a, b, c;
    a = b = c = 5;
    a += b -= c *= 2;
    assert(a == 0 && b == -5 && c == 10);
    _Bool flag = 0;
    flag += 2;
    assert(flag == 1);
    flag++;
    assert(flag == 1);
    flag--;
    assert(flag == 0);
    flag--;
    assert(flag == 1);
    flag -= 1;
    assert(flag == 0);
    flag |= 256;
    assert(flag == 1);
}

int main(void)
{
    wrapping();
    division();
    shifts();
    bits();
    values_of_assignments();
    return 0;
}
