/* Attacks silent turns that store and store back: a word and one of its bytes, stored back in the order in which they were stored, before
   there is another thread. The byte keeps what the word brought. */
#include <assert.h>
#include <fencepost.h>
union {
    unsigned word;
    unsigned char bytes[4];
} x;
int main(void)
{
    while (1) {
        unsigned a;
        unsigned char b;
        fp_atomic
        {
            a = x.word;
            x.word = 0x101;
        }
        fp_atomic
        {
            b = x.bytes[0];
            x.bytes[0] = 2;
        }
        x.word = a;
        x.bytes[0] = b;
        fence("full");
        if (a)
            break;
    }
    assert(0);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated
