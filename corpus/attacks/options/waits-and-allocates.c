/* Attacks: stuck states are those from which no noticeable step is seen. A thread that waits makes an object in every round and drops it again; on pso
   that object counts as one that others may reach, so the step counts as noticeable, and the state as one that is not stuck. With `--engine explicit
   --stuck` this is violated on every machine: if `other` reads `ready` first, main waits for ever. Without, it holds. */
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

int flag, ready, never;

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
    while (!flag) {
        struct node *node = malloc(sizeof *node);
        if (never)
            node->next = node;
    }
    return 0;
}

