/* Attacks: that what a check lets pass is known afterwards: of the value that was checked, not of the variable. The index
   is changed between two subscripts, and so is a pointer that was moved. */
#include <pthread.h>
#pragma fencepost expect main sc, tso, pso, rmo, relaxed violated

static int array[8], at;

static void *use(void *unused)
{
    int i = at;
    array[i] = 1;
    int *p = array;
    p = p + i;
    *p = 2;
    i = i + 1;
    p = p + 1;
    *p = array[i];
    return 0;
}

int main(void)
{
    pthread_t thread;
    at = 1;
    pthread_create(&thread, 0, use, 0);
    at = 7;
    pthread_join(thread, 0);
}
