/* Attacks: parts of an access. Each thread writes one half of a word and reads all of it: its own half from its own store, early, the
   other from memory. On sc one of the two stores is first and the other thread sees both halves. Elsewhere both can read the other
   half before it is written: a load that waited for its own half, or took both halves from one store, would miss that. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso violated
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static union {
    unsigned long whole;
    struct {
        unsigned low, high;
    } half;
} word;
static unsigned long seen, other;

static void *work(void *unused)
{
    word.half.high = 1;
    other = word.whole;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    word.half.low = 1;
    seen = word.whole;
    pthread_join(worker, NULL);
    assert(!(seen == 1 && other == 1ul << 32));
    return 0;
}
