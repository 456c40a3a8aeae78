/* Attacks: dependencies of selections. Which of two pointers is taken depends on `flag` by a branch, which orders no load on rmo; the one that is
   taken was loaded itself, and what it points to is read behind that load. So `late`, read through a pointer from memory, is not read
   before the pointer is. */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso holds
#pragma fencepost expect main rmo holds
#pragma fencepost expect main relaxed violated

static int late, dummy = 1, *pointer = &dummy, flag;

static void *work(void *unused)
{
    late = 1;
    fence("store-store");
    pointer = &late;
    flag = 1;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    int *p = pointer, *q = flag ? p : &dummy;
    assert(*q == 1);
    pthread_join(worker, NULL);
    return 0;
}
