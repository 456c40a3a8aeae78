/* Attacks: that orders do no more than the fences that they stand for. The acquiring load is kept before the store of its own statement, where no fence can
   stand, and nothing else is needed: `fences --model rmo` finds one stronger order. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int l, a, b, u, v;
static int r1, r2, r3, r4, r5;

static void *reader(void *unused)
{
    r1 = atomic_load_explicit(&l, memory_order_relaxed), atomic_store_explicit(&a, 1, memory_order_relaxed);
    r2 = atomic_load_explicit(&b, memory_order_relaxed);
    return unused;
}

static void *writer(void *unused)
{
    r3 = atomic_load_explicit(&a, memory_order_acquire);
    r4 = atomic_load_explicit(&v, memory_order_acquire);
    r5 = atomic_load_explicit(&u, memory_order_relaxed);
    atomic_store_explicit(&b, 1, memory_order_relaxed);
    atomic_store_explicit(&l, 1, memory_order_release);
    return unused;
}

static void *sender(void *unused)
{
    atomic_store_explicit(&u, 1, memory_order_relaxed);
    atomic_store_explicit(&v, 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t x, y, z;
    pthread_create(&x, NULL, reader, NULL);
    pthread_create(&y, NULL, writer, NULL);
    pthread_create(&z, NULL, sender, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    pthread_join(z, NULL);
    assert(!(r1 == 1 && r3 == 1 && r4 == 1 && r5 == 0));
    assert(!(r1 == 1 && r2 == 0));
    return 0;
}
