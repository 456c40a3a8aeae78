/* What functions that print return, and which of their arguments are evaluated. */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#pragma fencepost expect main sc holds

static const char *text(int long_one)
{
    return long_one ? "a text of forty-one characters, all read\n" : "short\n";
}

int main(void)
{
    int calls = 0;
    printf("%d %d\n", calls++, (calls += 2, 1));
    assert(calls == 3);
    assert(printf("100%%\n") == 5);
    assert(printf("%s%.2s%.*s", text(1), "abc", 2, text(0)) >= 0);
    assert(puts("text") >= 0 && fputs("text", stdout) >= 0);
    assert(putchar('x') == 'x' && fputc('\n', stdout) == '\n' && putc(256 + 'y', stdout) == 'y');
#if UINT_FAST32_MAX > 0xffffffff && INT_FAST16_MAX > 0x7fff && INT_LEAST8_MIN == -128
    int known = 1;
#else
    int known = 0;
#endif
    assert(known && MB_LEN_MAX >= 1);
    printf("%" PRIdFAST16 "%" PRIxMAX "\n", (int_fast16_t)1, (uintmax_t)2);
    return 0;
}
