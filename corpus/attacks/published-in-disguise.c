/* Attacks: memory that one thread alone can reach. An object is given away as the complement of its address, which does
 * not look like one; if it still counts as its maker's own, the maker's stores are no scheduling points, and nobody
 * sees the object between them. */
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

uintptr_t box;

static void *reader(void *unused)
{
    uintptr_t kept = box;
    if (kept) {
        struct node *p = (struct node *)~kept;
        assert(p->value != 1);
    }
    return other(unused);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    struct node *p = calloc(1, sizeof *p);
    box = ~(uintptr_t)p;
    p->value = 1;
    p->value = 2;
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso violated
