/* Attacks: dropping of objects that nothing refers to. Of an object only a hash of its address is kept, which is one to
 * one. Another object that is made while the first one is there, in whatever form, has another address and another
 * hash; if the first one counts as lost, the second gets its address, and the assertion, which is wrong, holds. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    int value;
    uintptr_t link;
};

int tick;

static void *other(void *unused)
{
    tick = 1;
    tick = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct node *p = calloc(1, sizeof *p);
    uintptr_t hash = (uintptr_t)p * 0x9e3779b97f4a7c15u;
    p = NULL;
    pthread_create(&thread, NULL, other, NULL);
    int seen = tick;
    p = calloc(1, sizeof *p);
    seen += tick;
    assert((uintptr_t)p * 0x9e3779b97f4a7c15u == hash || seen != 3);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso violated
