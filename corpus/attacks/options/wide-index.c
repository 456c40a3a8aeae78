/* Attacks: that the places of an access can be listed. This one may go to two million; that is given up by name, and in time. */
#include <assert.h>
#include <pthread.h>
static char big[1 << 21];
static unsigned x;
static void *work(void *u) { x = 1; big[7] = 1; return u; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    unsigned h = x;
    for (int i = 0; i < 40; i++) h = h * 1103515245u + x;
    assert(big[h & ((1 << 21) - 1)] < 2);
    pthread_join(t, NULL);
    return 0;
}
