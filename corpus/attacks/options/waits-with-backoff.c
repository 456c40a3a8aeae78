/* Attacks: a thread that comes back to where it was waits for ever, looked for among 2000 of its states. This one counts its rounds. With `--engine explicit
   --stuck` it is violated for every N, and with `--endless fair` it holds for every N; -D N=2100 makes both say the opposite. */
#include <pthread.h>

#ifndef N
#define N 3
#endif

int flag, ready;

static void *other(void *unused)
{
    if (ready)
        flag = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    ready = 1;
    int rounds = 0;
    while (!flag)
        rounds = (rounds + 1) % N;
    return 0;
}

