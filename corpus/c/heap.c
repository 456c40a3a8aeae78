/* malloc, calloc, free, and structures made of what they return. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#pragma fencepost expect main sc holds

struct node {
    struct node *next;
    int value;
};

static struct node *push(struct node *list, int value)
{
    struct node *node = malloc(sizeof *node);
    *node = (struct node){list, value};
    return node;
}

static struct node *reverse(struct node *list)
{
    struct node *done = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}

static int drop(struct node **list)
{
    struct node *first = *list;
    int value = first->value;
    *list = first->next;
    free(first);
    return value;
}

struct vector {
    size_t length;
    int items[];
};

int main(void)
{
    struct node *list = NULL;
    for (int i = 1; i <= 3; i++)
        list = push(list, i);
    assert(list->value == 3 && list->next->next->value == 1 && !list->next->next->next);
    list = reverse(list);
    assert(drop(&list) == 1 && drop(&list) == 2 && drop(&list) == 3 && list == NULL);

    int *zeros = calloc(4, sizeof(int));
    assert(zeros[0] == 0 && zeros[3] == 0);
    zeros[3] = 5;
    int *other = malloc(4 * sizeof(int));
    assert(other != zeros && other != NULL);
    other[3] = 6;
    assert(zeros[3] == 5 && other[3] == 6);
    free(zeros);
    free(other);
    free(NULL);

    struct vector *v = malloc(sizeof(struct vector) + 3 * sizeof(int));
    v->length = 3;
    for (size_t i = 0; i < v->length; i++)
        v->items[i] = i * i;
    assert(v->items[2] == 4);
    free(v);

    char *bytes = malloc(3);
    bytes[2] = 'x';
    assert(bytes[2] == 'x' && (uintptr_t)bytes % 8 == 0);
    free(bytes);
    free(malloc(0));
    void *aligned = aligned_alloc(64, 64);
    assert((uintptr_t)aligned % 64 == 0);
    free(aligned);

    int **rows = malloc(2 * sizeof *rows);
    for (int i = 0; i < 2; i++) {
        rows[i] = calloc(2, sizeof **rows);
        rows[i][i] = i + 1;
    }
    assert(rows[0][0] == 1 && rows[0][1] == 0 && rows[1][1] == 2);
    for (int i = 0; i < 2; i++)
        free(rows[i]);
    free(rows);
    return 0;
}
