/* Attacks: the functions of GCC's __sync family are full barriers, also if a comparison fails and nothing is stored. */
#include <assert.h>
#include <pthread.h>
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed holds

int x, y, seen_x, seen_y, taken = 1;

static void *first(void *argument)
{
    x = 1;
    __sync_bool_compare_and_swap(&taken, 0, 2);
    seen_y = y;
    return argument;
}

static void *second(void *argument)
{
    y = 1;
    __sync_val_compare_and_swap(&taken, 0, 2);
    seen_x = x;
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(seen_x || seen_y);
    return 0;
}
