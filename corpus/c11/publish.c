/* Publication of a record by its pointer, as of old (read-copy update, McKenney and Slingwine 1998): the reader
 * only follows the pointer. memory_order_consume was made for this; compilers treat it as acquire, and so SUBSCRIBE
 * acquires what PUBLISH releases. */
#include <stdatomic.h>
#include <stdlib.h>
#include "threads.h"

#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif
#ifndef SUBSCRIBE
#define SUBSCRIBE memory_order_acquire
#endif

typedef struct message {
    int length;
    int words[2];
} message_t;

_Atomic(message_t *) published;

static void *publisher(void *unused)
{
    message_t *message = malloc(sizeof(message_t));
    message->words[0] = 3;
    message->words[1] = 4;
    message->length = 2;
    atomic_store_explicit(&published, message, PUBLISH);
    return unused;
}

static void *subscriber(void *unused)
{
    message_t *message = atomic_load_explicit(&published, SUBSCRIBE);
    if (message)
        assert(message->words[message->length - 1] == 4);
    return unused;
}

int main(void)
{
    run(publisher, subscriber, subscriber);
    return 0;
}

#pragma fencepost expect main sc holds
