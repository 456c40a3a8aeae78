/* As wide_relaxed_swap.c, with orders: releases and acquires of 16 bytes synchronise. */
#include <pthread.h>
#include <stdatomic.h>
struct tagged { void *pointer; long tag; };
_Atomic struct tagged top;
int data;
void *push(void *unused)
{
    struct tagged old = {0, 0}, new = {0, 1};
    data = 1;
    atomic_compare_exchange_strong_explicit(&top, &old, new, memory_order_release, memory_order_relaxed);
    return 0;
}
void *pop(void *unused)
{
    struct tagged old = atomic_load_explicit(&top, memory_order_acquire);
    if (old.tag)
        data = 2;
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, pop, 0);
    return 0;
}
#pragma fencepost expect main rc11 holds
#pragma fencepost expect main x86, armv8 holds
