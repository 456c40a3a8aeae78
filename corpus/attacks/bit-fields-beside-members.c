/* Attacks: a bit-field is accessed through bytes that belong to its own memory location. Each of these shares the word of its
 * declared type with a member that is no bit-field: an access to the whole word would write that member back. */
#include <assert.h>
#include <pthread.h>

static struct { char c; int a : 24; } behind;
static struct { int a : 9; char c; } before;
static struct { long a : 40; char c; } wide;
static struct __attribute__((packed)) { char c; unsigned a : 20; } packed;

static void *other(void *unused)
{
    behind.c = 1;
    before.c = 1;
    wide.c = 1;
    packed.c = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    behind.a = 5;
    before.a = 5;
    wide.a = 5;
    packed.a = 5;
    pthread_join(thread, 0);
    assert(behind.c == 1 && behind.a == 5);
    assert(before.c == 1 && before.a == 5);
    assert(wide.c == 1 && wide.a == 5);
    assert(packed.c == 1 && packed.a == 5);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
