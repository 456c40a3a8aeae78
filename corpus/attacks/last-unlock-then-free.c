/* Attacks mutexes made of fences: an unlock happens before the next lock as a whole, its own store included, so whoever takes the last reference may free the
 * mutex (POSIX, pthread_mutex_destroy, gives this very example). No race. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object { pthread_mutex_t mutex; int references; } *object;
void *drop(void *unused)
{
    int left;
    pthread_mutex_lock(&object->mutex);
    left = --object->references;
    pthread_mutex_unlock(&object->mutex);
    if (!left) {
        pthread_mutex_destroy(&object->mutex);
        free(object);
    }
    return 0;
}
int main(void)
{
    pthread_t a, b;
    object = malloc(sizeof *object);
    pthread_mutex_init(&object->mutex, 0);
    object->references = 2;
    pthread_create(&a, 0, drop, 0);
    pthread_create(&b, 0, drop, 0);
    return 0;
}
#pragma fencepost expect main rc11, x86, armv8, power holds
