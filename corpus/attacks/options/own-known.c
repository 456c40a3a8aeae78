/* Attacks: that a load never reads what its own thread has overwritten. It does on models that do not forbid it, such as no-own.cat: the load may
   find what was there before the store. */
#include <assert.h>
#include <pthread.h>
int x, y;
static void *work(void *u) { x = 1; int r = x; assert(r != 0); return u; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    x = 2;
    return 0;
}
