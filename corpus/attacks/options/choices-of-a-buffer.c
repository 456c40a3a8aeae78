/* Attacks the work of one step: with abstract store buffers, loads from the thread's own buffer are choices, and as long as nobody else is known to access v,
   no access ends a step. A step that goes on around the loop has twice as many ways with every turn. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
bool v[3];
static void *writer(void *unused)
{
    bool r[2];
    while (true) {
        r[0] = r[1] = 0;
        v[2] = 0;
        r[1] = v[2];
        v[2] = 1;
        v[0] = r[0];
        r[0] = v[0];
        v[1] = r[1];
        assert(!(r[0] == 1 && r[1] == 0));
    }
    return unused;
}
static void *reader(void *unused)
{
    while (true) {
        bool a = v[0], b = v[1];
        assert(a || b || v[2] || !v[2]);
    }
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
