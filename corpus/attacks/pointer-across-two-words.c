/* Attacks: objects that nothing refers to are dropped. The only pointer to the node lies across two words of a packed record, then beside a number in
   half of a word. A node that were dropped would have its address used again and lose its value. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct __attribute__((packed)) record {
    int number;
    int *node;
} record;

struct {
    uint32_t number, node;
} pair;

int tick;

static void *work(void *unused)
{
    record.node = malloc(sizeof(int));
    *record.node = 1;
    fp_atomic { tick = 1; }
    fp_atomic { tick = 2; }
    int *other = malloc(sizeof(int));
    *other = 2;
    pair.node = (uint32_t)(uintptr_t)record.node;
    record.node = other;
    fp_atomic { tick = 3; }
    fp_atomic { tick = 4; }
    int *third = malloc(sizeof(int));
    *third = 3;
    assert(*(int *)(uintptr_t)pair.node == 1 && *record.node == 2 && *third == 3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}

#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
