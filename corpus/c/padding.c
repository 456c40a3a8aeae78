/* memset, memcpy and memmove reach all bytes, also those that the pointer's type does not use. */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#pragma fencepost expect main sc holds

struct gap {
    char tag;
    int value;
};

struct both {
    struct gap gap;
    char last;
};

static unsigned hash(const void *from, size_t size)
{
    const unsigned char *bytes = from;
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = 31 * sum + bytes[i];
    return sum;
}

int main(void)
{
    struct both a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    assert(memcmp(&a, &b, sizeof a) == 0);
    assert(hash(&a, sizeof a) == 0);
    a.gap.value = b.gap.value = 7;
    assert(hash(&a, sizeof a) == hash(&b, sizeof b));

    _Alignas(4) unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8];
    struct gap through;
    memcpy(&through, bytes, sizeof through);
    memcpy(out, &through, sizeof through);
    for (int i = 0; i < 8; i++)
        assert(out[i] == i + 1);
    memset((struct gap *)out, 9, sizeof(struct gap));
    for (int i = 0; i < 8; i++)
        assert(out[i] == 9);
    memmove((struct gap *)out, (struct gap *)bytes, sizeof(struct gap));
    assert(out[2] == 3);
    return 0;
}
