/* Attacks: that whether an object is alive is a location. Both stores look at it, which must not make them stores to one
   location: on pso the second may be seen first, whether the object is ever freed or not. */
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
#pragma fencepost expect main sc holds
#pragma fencepost expect main tso holds
#pragma fencepost expect main pso violated
#pragma fencepost expect main rmo violated
#pragma fencepost expect main relaxed violated

struct message {
    int data, ready;
};

static struct message *message;

static void *send(void *unused)
{
    message->data = 1;
    message->ready = 1;
    return NULL;
}

int main(void)
{
    message = calloc(1, sizeof *message);
    pthread_t sender;
    pthread_create(&sender, NULL, send, NULL);
    if (message->ready)
        assert(message->data == 1);
    pthread_join(sender, NULL);
    free(message);
    return 0;
}
