/* Attacks: store buffers for each address. The second store covers a half of the first one; on pso it must not overtake, and nobody sees the half
   without the word. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

union {
    uint32_t word;
    uint16_t half[2];
} u;

static void *send(void *unused)
{
    u.word = 0x00010001;
    u.half[1] = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send, NULL);
    uint32_t seen = u.word;
    assert(seen == 0 || seen == 0x00010001 || seen == 0x00020001);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
