/* Attacks --reuse on rc11: a `free` synchronises with the allocation that returns its memory (C17 7.22.3p2). No race, although the flag is relaxed. With --reuse. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int flag;
void *one(void *unused)
{
    int *mine = malloc(sizeof *mine);
    *mine = 1;
    free(mine);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}
void *two(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        int *mine = malloc(sizeof *mine);
        *mine = 2;
        free(mine);
    }
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    return 0;
}
#pragma fencepost expect main rc11, x86 holds
