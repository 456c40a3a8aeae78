/* Attacks silent turns: a round that only a ghost remembers. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
int flag, rounds;
void *writer(void *arg)
{
    flag = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    while (!flag)
        fp_ghost { if (rounds < 2) rounds = rounds + 1; }
    fp_ghost { assert(rounds != 2); }
    return 0;
}
#pragma fencepost expect main sc, tso, pso violated
