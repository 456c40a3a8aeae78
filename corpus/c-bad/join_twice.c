/* A thread is joined once. */
#include <pthread.h>
#pragma fencepost expect main sc violated

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
    return pthread_join(thread, 0); /* fault: a thread is joined or detached that was joined or detached before */
}
