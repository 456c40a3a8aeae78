/* The mutex is not locked any more. */
#include <threads.h>
#pragma fencepost expect main sc violated

int main(void)
{
    mtx_t mutex;
    mtx_init(&mutex, mtx_plain);
    mtx_lock(&mutex);
    mtx_unlock(&mutex);
    mtx_unlock(&mutex); /* fault: a mutex is unlocked that is not locked */
    return 0;
}
