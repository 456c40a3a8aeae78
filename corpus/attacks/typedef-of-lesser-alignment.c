/* Attacks: records are laid out as GCC does it. `aligned` on a typedef also lowers an alignment, which on a variable or a member it
 * does not: the record has no padding, and its last byte is the last of the number. */
#include <assert.h>

typedef int anywhere __attribute__((aligned(1)));
struct record { char tag; anywhere number; };
typedef long long half __attribute__((aligned(4)));
struct pair { int first; half second; };
struct member { char tag; int number __attribute__((aligned(1))); };

int main(void)
{
    struct record r = {1, 0x01020304};
    assert(sizeof(struct record) == 5);
    assert(((char *)&r)[4] == 1);
    assert(sizeof(struct pair) == 12);
    assert(sizeof(struct member) == 8);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
