/* A mutex that is held. */
#include <pthread.h>
#pragma fencepost expect main sc violated

int main(void)
{
    pthread_spinlock_t spin;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_spin_destroy(&spin); /* fault: a mutex is destroyed that is locked */
    return 0;
}
