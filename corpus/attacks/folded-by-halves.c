/* Attacks: what is known of memory while one thread is alone. Words are written whole, by halves, by bytes across halves and under a condition
   that nobody knows, and read back in other sizes before the other thread is started and after. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <string.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

static union {
    unsigned long whole;
    unsigned half[2];
    unsigned char byte[8];
    signed char sign[8];
} word;
static unsigned long copy;

static void *work(void *unused)
{
    assert(word.sign[3] == -1 && word.half[1] == 0x11220044);
    return unused;
}

int main(void)
{
    pthread_t worker;
    int unknown = fp_any(0, 1);
    word.whole = 0x1122334455667788;
    word.half[0] = 0xffffffff;
    word.byte[5] = 0;
    if (unknown)
        word.byte[0] = 1;
    assert(word.half[1] == 0x11220044);
    assert(word.sign[0] == (unknown ? 1 : -1));
    copy = word.whole;
    assert((copy & 0xff) == (unknown ? 1 : 0xff));
    pthread_create(&worker, NULL, work, NULL);
    assert(word.half[0] >> 8 == 0xffffff);
    pthread_join(worker, NULL);
    return 0;
}
