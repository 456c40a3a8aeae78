/* Nor is one joined that was let go. */
#include <threads.h>
#pragma fencepost expect main sc violated

static int nothing(void *argument)
{
    return argument != 0;
}

int main(void)
{
    thrd_t thread;
    thrd_create(&thread, nothing, 0);
    thrd_detach(thread);
    return thrd_join(thread, 0); /* fault: a thread is joined or detached that was joined or detached before */
}
