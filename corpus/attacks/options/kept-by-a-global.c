/* Attacks: a word leads to an object as pointers are commonly kept. A global leads to each of these objects, and each is found again and accessed.
     fencepost check --engine explicit --leaks -m sc kept-by-a-global.c -D WAY=1     a packed record: the pointer lies across two words
                                                                        -D WAY=2     a pointer of 32 bits in the upper half of a word
                                                                        -D WAY=3     a pointer above a stamp of 32 bits
   must hold, or be inconclusive. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#if WAY == 1
struct __attribute__((packed)) {
    int tag;
    char *object;
} keeper;
#define KEEP(p) (keeper.object = (p))
#define KEPT keeper.object
#elif WAY == 2
struct {
    uint32_t tag, object;
} keeper;
#define KEEP(p) (keeper.object = (uint32_t)(uintptr_t)(p))
#define KEPT ((char *)(uintptr_t)keeper.object)
#else
uint64_t keeper;
#define KEEP(p) (keeper = (uint64_t)(uintptr_t)(p) << 32 | 5)
#define KEPT ((char *)(uintptr_t)(keeper >> 32))
#endif

int main(void)
{
    char *object = malloc(8);
    *object = 1;
    KEEP(object);
    object = NULL;
    assert(*KEPT == 1);
    return 0;
}
