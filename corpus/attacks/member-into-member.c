/* Against: "it is enough that an access lies in its object". The index leads from one member of a record to
 * the next, which another thread relies on. */
#pragma fencepost expect main sc violated
#pragma fencepost expect main relaxed violated
#include <pthread.h>

struct {
    int cells[4];
    int sum[4];
} s;
int last = 3;

void *grow(void *unused)
{
    last = 4;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, grow, 0);
    s.cells[last] = 1;
    pthread_join(thread, 0);
    return 0;
}
