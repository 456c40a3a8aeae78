/* Attacks: dropping of objects that nothing refers to. The address of an object is kept only under a mask (`p ^ k`) while
 * another object is made; if the first one counts as lost, the second gets its address, and the assertion, which is
 * wrong, holds. */
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
    struct node *q = calloc(1, sizeof *q), *p = calloc(1, sizeof *p);
    p->value = 1;
    uintptr_t kept = (uintptr_t)p ^ 0x5a5a5a5a5a5a;
    p = NULL;
    pthread_create(&thread, NULL, other, NULL);
    int seen = tick;
    struct node *unrelated = calloc(1, sizeof *unrelated);
    unrelated->value = 10;
    seen += tick;
    p = (struct node *)(kept ^ 0x5a5a5a5a5a5a);
    assert(p->value != 1 || seen != 3);
    q->value = 2;
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso violated
