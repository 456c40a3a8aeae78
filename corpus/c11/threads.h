/* What the closed programs here share: two or three threads that run side by side, to their end. */
#include <assert.h>
#include <pthread.h>

static void run(void *(*first)(void *), void *(*second)(void *), void *(*third)(void *))
{
    pthread_t one, two, three;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    if (third)
        pthread_create(&three, 0, third, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (third)
        pthread_join(three, 0);
}
