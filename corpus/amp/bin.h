/* The pool that the bounded-range priority queues of chapter 15 keep for each score: what was put in first comes out
 * first. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct entry {
    int value;
    struct entry *next;
} entry_t;

typedef struct bin {
    entry_t *first;
    pthread_mutex_t lock;
} bin_t;

static void init_bin(bin_t *bin)
{
    bin->first = 0;
    pthread_mutex_init(&bin->lock, 0);
}

static void put(bin_t *bin, int value)
{
    entry_t *entry = malloc(sizeof(entry_t));
    entry->value = value;
    entry->next = 0;
    pthread_mutex_lock(&bin->lock);
    entry_t **link = &bin->first;
    while (*link)
        link = &(*link)->next;
    *link = entry;
    pthread_mutex_unlock(&bin->lock);
}

static bool get(bin_t *bin, int *value)
{
    pthread_mutex_lock(&bin->lock);
    entry_t *entry = bin->first;
    if (entry) {
        *value = entry->value;
        bin->first = entry->next;
    }
    pthread_mutex_unlock(&bin->lock);
    return entry != 0;
}
