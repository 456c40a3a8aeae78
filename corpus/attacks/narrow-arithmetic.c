/* Attacks: circuits of words, at the edges of narrow types. The operands come from memory and from a choice, so nothing is folded; results are
   compared with wider arithmetic. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

static signed char a = -128;
static unsigned short b = 65535;
static int sink;

static void *work(void *unused)
{
    a = fp_any(-128, -127, -1, 0, 1, 127);
    b = fp_any(0, 1, 7, 8, 255, 256, 65535);
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    signed char x = a;
    unsigned short y = b;
    int divisor = (y & 7) + 1, shift = y & 31;
    assert(x / divisor * divisor + x % divisor == x);
    assert(x % divisor == 0 || (x % divisor < 0) == (x < 0));
    assert((signed char)(x * 3) == (signed char)(x + x + x));
    assert((unsigned short)(y * y) == (unsigned short)((unsigned)y * y));
    assert((x >> 7) == (x < 0 ? -1 : 0));
    assert(((1u << shift) >> shift) == 1);
    assert((long)x * 4294967297l / 4294967297l == x);
    assert((unsigned char)~(unsigned char)x == (unsigned char)(-x - 1));
    sink = x;
    pthread_join(worker, NULL);
    return 0;
}
