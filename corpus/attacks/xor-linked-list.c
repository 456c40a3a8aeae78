/* Attacks: dropping of objects that nothing refers to. The inner nodes of an XOR-linked list are kept only as the
 * exclusive or of two addresses, which no collector recognises; with their addresses used again, the list seems to hold
 * a node that was never put into it, and the last assertion, which is wrong, holds. */
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
    struct node *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *c = calloc(1, sizeof *c);
    a->value = 1;
    b->value = 2;
    c->value = 3;
    a->link = (uintptr_t)b;
    b->link = (uintptr_t)a ^ (uintptr_t)c;
    c = NULL;
    pthread_create(&thread, NULL, other, NULL);
    int seen = tick;
    struct node *unrelated = calloc(1, sizeof *unrelated);
    unrelated->value = 10;
    seen += tick;
    b = (struct node *)a->link;
    c = (struct node *)(b->link ^ (uintptr_t)a);
    assert(c->value != 3 || seen != 3);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso violated
