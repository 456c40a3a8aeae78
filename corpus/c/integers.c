/* Widths, signs, promotions and conversions of integers. */
#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#pragma fencepost expect main sc holds

static int8_t narrow(int value) { return value; }
static uint16_t chop(long value) { return value; }

static void promotions(void)
{
    unsigned char a = 200, b = 100;
    signed char s = -1;
    unsigned short h = 65535;
    assert(a + b == 300);
    assert((unsigned char)(a + b) == 44);
    assert(a - b - b - b == -100);
    assert(~a == -201);
    assert(-h == -65535);
    assert(h * 2 == 131070);
    assert((s >> 1) == -1);
    assert((unsigned char)s == 255);
    assert((unsigned short)s == 65535);
    assert((unsigned)s == 4294967295u);
    assert(sizeof(a + b) == 4);
    assert(sizeof(+s) == 4);
    assert(sizeof(!a) == 4);
    assert('\xff' == -1);
    assert(sizeof('a') == 4);
}

static void mixed_signs(void)
{
    int minus = -1;
    unsigned one = 1;
    long wide = -1;
    unsigned char small = 255;
    assert(minus > one);
    assert(wide < one);
    assert(minus != small);
    assert(minus < small);
    assert(minus + one == 0);
    assert((minus + one) * -1 == 0);
    assert(-1 > 0u);
    assert(-1 < 0);
    assert(-1l < 0u);
    assert((long)(minus * one) == 4294967295l);
    assert(wide * one == -1);
    assert(sizeof(wide + one) == 8);
    assert((minus ? one : minus) == 1);
    assert((one ? minus : one) == 4294967295u);
    assert((one ? minus : one) > 0);
}

static void conversions(void)
{
    assert(narrow(128) == -128);
    assert(narrow(-129) == 127);
    assert(narrow(256) == 0);
    assert(chop(-1) == 65535);
    assert(chop(65536 + 7) == 7);
    int64_t big = 0x123456789abcdef0;
    assert((int32_t)big == (int32_t)0x9abcdef0);
    assert((int32_t)big < 0);
    assert((uint32_t)big == 0x9abcdef0u);
    assert((int16_t)big == (int16_t)0xdef0);
    assert((uint64_t)(int32_t)big == 0xffffffff9abcdef0u);
    assert((uint64_t)(uint32_t)big == 0x9abcdef0u);
    assert((long)(unsigned)-1 == 4294967295l);
    assert((unsigned long)-1 == ULONG_MAX);
    _Bool truth = 256;
    assert(truth == 1);
    assert((_Bool)0x100000000l == 1);
    assert((unsigned char)0x100 == 0);
    truth = 0;
    assert(!truth && truth + 1 == 1);
    truth = -5;
    assert(truth + truth == 2);
    bool from_pointer = &big;
    assert(from_pointer == true);
}

static void limits(void)
{
    assert(INT_MAX + 1u == 2147483648u);
    assert((int)2147483648u == INT_MIN);
    assert(UINT_MAX + 1 == 0);
    assert(LONG_MAX == 9223372036854775807);
    assert(LONG_MIN == -9223372036854775807 - 1);
    assert(ULLONG_MAX == 18446744073709551615u);
    assert(SCHAR_MIN == -128 && SCHAR_MAX == 127 && UCHAR_MAX == 255);
    assert(SHRT_MIN == -32768 && USHRT_MAX == 65535);
    assert(CHAR_MIN == -128);
    assert(sizeof(2147483647) == 4 && sizeof(2147483648) == 8);
    assert(sizeof(0xffffffff) == 4 && sizeof(0x100000000) == 8);
    assert(0xffffffff > 0 && 0x80000000 > 0);
    assert(INT32_MAX == 0x7fffffff && UINT64_MAX == 0xffffffffffffffff);
    assert(1ull - 2 == ULLONG_MAX);
    assert(0b1011 == 11 && 017 == 15 && 'A' == 65 && '\n' == 10 && '\101' == 'A');
}

int main(void)
{
    promotions();
    mixed_signs();
    conversions();
    limits();
    return 0;
}
