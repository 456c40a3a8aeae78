/* The list-based set of Michael (SPAA 2002), without its memory management: a sorted list whose links carry, in
 * the lowest bit, the mark of the node they belong to. A marked node is removed, and whoever comes along unlinks
 * it. Walks need no fence on rmo: what they read of a node depends on where it is, and keys do not change. Fence 2
 * stands for dependencies that go through the memory of a local variable, which Fencepost's rmo does not follow. */
#include <fencepost.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "order.h"

typedef uintptr_t link_t;

typedef struct node {
    int key;
    link_t next;
} node_t;

typedef struct set {
    link_t head;
} set_t;

/* Where a key is or would be: the link that leads there, and the node behind it, if any. */
typedef struct place {
    link_t *link;
    node_t *node;
    link_t next;
} place_t;

static void init_set(set_t *set)
{
    set->head = 0;
}

static bool find(set_t *set, int key, place_t *place)
{
    link_t *link, next;
    node_t *node;
    int found;
again:
    link = &set->head;
    node = (node_t *)*link;
    found = key + 1;
    while (node) {
        next = node->next;
        if (next & 1) {
            if (!cas(link, (link_t)node, next & ~(link_t)1))
                goto again;
            node = (node_t *)(next & ~(link_t)1);
        } else {
            found = node->key;
            if (*link != (link_t)node)
                goto again;
            if (found >= key)
                break;
            link = &node->next;
            node = (node_t *)next;
        }
    }
    place->link = link;
    place->node = node;
    place->next = node ? next : 0;
    ORDER(2, "load-load");
    return node && found == key;
}

static bool contains(set_t *set, int key)
{
    place_t place;
    return find(set, key, &place);
}

static bool add(set_t *set, int key)
{
    place_t place;
    node_t *node = malloc(sizeof(node_t));
    node->key = key;
    do {
        if (find(set, key, &place))
            return false;
        node->next = (link_t)place.node;
        ORDER(1, "store-store");
    } while (!cas(place.link, (link_t)place.node, (link_t)node));
    return true;
}

static bool remove_key(set_t *set, int key)
{
    place_t place;
    do {
        if (!find(set, key, &place))
            return false;
    } while (!cas(&place.node->next, place.next, place.next | 1));
    if (!cas(place.link, (link_t)place.node, place.next))
        find(set, key, &place);
    return true;
}

set_t set;

#pragma fencepost init init_set(&set)
#pragma fencepost op a = add(&set, any(1, 2))
#pragma fencepost op c = contains(&set, any(1, 2))
#pragma fencepost op r = remove_key(&set, any(1, 2))
#pragma fencepost test AC  = ( a | c )
#pragma fencepost test AR  = ( a | r )
#pragma fencepost test AA  = ( a | a )
#pragma fencepost test RR  = a ( r | r )
#pragma fencepost test ACR = ( a | c | r )
#pragma fencepost test ARA = a ( a | r )

#ifndef UNFENCED
#pragma fencepost expect AC, AR, AA, RR, ACR, ARA sc, tso, pso, rmo holds
#else
#pragma fencepost expect AC, AR, AA sc, tso holds
#pragma fencepost expect AC, AR, AA pso, rmo violated
#endif
