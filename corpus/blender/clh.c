/* The queue lock of Craig, Landin and Hagersten (Craig 1993; Magnusson, Landin, Hagersten 1994). A process puts
 * its node at the end of a queue and waits until the node in front of it is released; that node is its own next
 * time.
 *
 * CLH2 is this file, CLH0 is -DUNFENCED. The paper does not say where its two fences are. The first of these keeps
 * a node from being in the queue before it is locked; tso needs no fence for that. The second is before the
 * release. */
#include "order.h"
#include "critical.h"
#include "repeat.h"

typedef struct node {
    bool locked;
} node_t;

node_t nodes[3];
node_t *tail = &nodes[2];

static node_t *swap_tail(node_t *node)
{
    node_t *before;
    fp_atomic
    {
        before = tail;
        tail = node;
    }
    return before;
}

static void process(int me)
{
    node_t *mine = &nodes[me];
    REPEAT
    {
        node_t *before;
        mine->locked = true;
        ORDER(1, "full");
        before = swap_tail(mine);
        while (before->locked)
            ;
        ENTER(me);
        LEAVE(me);
        ORDER(2, "full");
        mine->locked = false;
        mine = before;
    }
}

#if !defined ROUNDS && defined UNFENCED
#pragma fencepost expect verify sc, tso holds
#pragma fencepost expect verify pso violated
#elif !defined ROUNDS
#pragma fencepost expect verify sc, tso, pso holds
#endif
