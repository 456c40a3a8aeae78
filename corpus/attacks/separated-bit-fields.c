/* Attacks: a bit-field is accessed through bytes that belong to its own memory location (C11 3.14, as GCC does it). A field of no
 * bits ends a location, also one of type `char` inside of an `int`: `a` and `c` have a byte each, and storing to one does
 * not write the other back. */
#include <assert.h>
#include <pthread.h>

static struct {
    int a : 4;
    char : 0;
    int c : 4;
} s;

static void *other(void *unused)
{
    s.c = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    s.a = 5;
    pthread_join(thread, 0);
    assert(s.c == 1);
    assert(s.a == 5);
    return 0;
}
#pragma fencepost expect main sc, tso, pso, rmo, relaxed holds
