/* Tag bits in pointers, pointers as integers and back. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#pragma fencepost expect main sc holds

struct node {
    uintptr_t next;
    int key;
};

static uintptr_t mark(struct node *node, bool marked) { return (uintptr_t)node | marked; }
static struct node *clear(uintptr_t word) { return (struct node *)(word & ~(uintptr_t)1); }
static bool is_marked(uintptr_t word) { return word & 1; }

/* A counter above a pointer of 48 bits. */
static uint64_t pack(void *pointer, uint16_t count) { return (uint64_t)count << 48 | (uintptr_t)pointer; }
static void *pointer_of(uint64_t word) { return (void *)(word << 16 >> 16); }
static uint16_t count_of(uint64_t word) { return word >> 48; }

struct tagged {
    uint64_t pointer : 48;
    uint64_t count : 16;
};

int main(void)
{
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->key = 1;
    b->key = 2;
    b->next = 0;
    a->next = mark(b, false);
    assert(!is_marked(a->next) && clear(a->next)->key == 2);
    a->next |= 1;
    assert(is_marked(a->next) && clear(a->next) == b && (struct node *)a->next != b);
    assert(((struct node *)(a->next - 1))->key == 2);
    a->next ^= 1;
    assert((struct node *)a->next == b);

    uint64_t word = pack(a, 65535);
    assert(pointer_of(word) == a && count_of(word) == 65535);
    word = pack(pointer_of(word), count_of(word) + 1);
    assert(count_of(word) == 0 && pointer_of(word) == a && word == (uintptr_t)a);

    struct tagged t = {.pointer = (uintptr_t)b, .count = 65535};
    assert((struct node *)(uintptr_t)t.pointer == b && t.count == 65535);
    t.count++;
    assert(t.count == 0 && ((struct node *)(uintptr_t)t.pointer)->key == 2);

    assert((intptr_t)a % 16 == 0 && (uintptr_t)(a + 1) - (uintptr_t)a == sizeof *a);
    int *key = (int *)((char *)b + 8);
    assert(*key == 2 && key == &b->key);
    assert((void *)0 == NULL && (uintptr_t)NULL == 0 && !(bool)(struct node *)0);
    uintptr_t difference = (uintptr_t)a ^ (uintptr_t)b;
    assert((struct node *)(difference ^ (uintptr_t)a) == b);
    struct node *nothing = clear(1);
    assert(nothing == NULL && !nothing);
    free(a);
    free(b);
    return 0;
}
