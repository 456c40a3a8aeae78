/* Attacks: that a value has been through no more operations than there are. The largest value of `sum` is reached only if each of the three
   threads adds to what another left, through the whole word and through its low half: five operations one after the other. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main sc violated
#pragma fencepost expect main tso violated
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

static union {
    unsigned whole;
    unsigned short half[2];
} sum;

static void *whole(void *unused)
{
    sum.whole = 2 * sum.whole + 1;
    return unused;
}

static void *half(void *unused)
{
    sum.half[0] = 3 * sum.half[0] + 1;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, whole, NULL);
    pthread_create(&second, NULL, half, NULL);
    sum.whole = sum.whole + 1;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(sum.whole != 10);
    return 0;
}
