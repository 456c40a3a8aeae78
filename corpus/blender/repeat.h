/* Two processes that repeat something for ever, or -DROUNDS=n times. A program defines `process`, with REPEAT in
 * front of what is repeated. */
#include <pthread.h>
#include <stdbool.h>

#ifdef ROUNDS
#define REPEAT for (int round = 0; round < ROUNDS; round++)
#else
#define REPEAT while (true)
#endif

/* What one process does; `me` is FIRST or FIRST + 1. */
static void process(int me);

#ifndef FIRST
#define FIRST 0
#endif

static void *run_first(void *unused)
{
    process(FIRST);
    return unused;
}

static void *run_second(void *unused)
{
    process(FIRST + 1);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, run_first, 0);
    pthread_create(&second, 0, run_second, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
