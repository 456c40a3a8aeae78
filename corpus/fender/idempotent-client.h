/* A client for idempotent work stealing: the owner puts three tasks and takes one while a thief steals twice, then
 * the owner takes what is left. Every task must come out at least once, and nothing else may. */
#include <assert.h>
#include <pthread.h>

enum { TASKS = 3 };

int stolen[2];
int done[TASKS + 1];

static void *thief(void *unused)
{
    stolen[0] = steal();
    stolen[1] = steal();
    return unused;
}

static void note(int task)
{
    if (task != EMPTY) {
        assert(1 <= task && task <= TASKS);
        done[task] = 1;
    }
}

int main(void)
{
    pthread_t stealing;
    put(1);
    pthread_create(&stealing, 0, thief, 0);
    put(2);
    note(take());
    put(3);
    pthread_join(stealing, 0);
    note(stolen[0]);
    note(stolen[1]);
    for (int i = 0; i < TASKS; i++)
        note(take());
    for (int i = 1; i <= TASKS; i++)
        assert(done[i]);
    return 0;
}
