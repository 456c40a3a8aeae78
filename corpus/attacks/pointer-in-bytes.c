/* Attacks: dropping of objects that nothing refers to. The bytes of an address are kept far apart; none of them is an
 * address. If the object counts as lost, the next one gets its address, and the assertion, which is wrong, holds. */
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

unsigned char parts[8][16];

int main(void)
{
    pthread_t thread;
    struct node *p = calloc(1, sizeof *p);
    p->value = 1;
    for (int i = 0; i < 8; i++)
        parts[i][0] = ((unsigned char *)&p)[i];
    p = NULL;
    pthread_create(&thread, NULL, other, NULL);
    int seen = tick;
    struct node *unrelated = calloc(1, sizeof *unrelated);
    unrelated->value = 10;
    seen += tick;
    for (int i = 0; i < 8; i++)
        ((unsigned char *)&p)[i] = parts[i][0];
    assert(p->value != 1 || seen != 3);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso violated
