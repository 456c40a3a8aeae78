/* As own-known.c, at an address that is known only when the program runs. */
#include <assert.h>
#include <pthread.h>
#include <fencepost.h>
int x, y;
static void *work(void *u) { int *p = fp_any(0, 1) ? &x : &y; *p = 1; int r = *p; assert(r != 0); return u; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    x = 2; y = 2;
    return 0;
}
