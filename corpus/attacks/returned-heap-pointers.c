/* Against the comparison of pointers in observations. Addresses differ between executions, so new objects are compared
 * up to a renaming; but the renaming is one bijection for all slots: two calls that give out the same object where
 * every serial execution has two, or a pointer to another part of it, are violations. */

#include <stdint.h>
#include <stdlib.h>

struct node { struct node *next; int key; };
struct pair { struct node *first, *second; };

struct node *top, *spare;
struct node fixed[2];
int taken, moved;

/* Right: each call makes a node of its own. */
struct node *make(int key)
{
    struct node *n = malloc(sizeof *n);
    n->key = key;
    n->next = 0;
    return n;
}

/* Wrong side by side: both calls may get the spare node. */
struct node *take(void)
{
    struct node *n = spare;
    if (n) spare = 0; else n = malloc(sizeof *n);
    return n;
}
void prepare(void) { spare = malloc(sizeof *spare); }

/* Wrong side by side: the lost update shows only in where the pointer points. */
char *cursor(void)
{
    static char *buffer;
    if (!buffer) buffer = (char *)spare;
    int at = moved;
    moved = at + 1;
    return buffer + at;
}

/* Wrong side by side: the two may be different, which no serial execution shows. */
struct pair both(void)
{
    struct pair p;
    p.first = spare;
    p.second = spare;
    return p;
}
void exchange(void) { spare = malloc(sizeof *spare); }

/* Right: the tag is part of what is compared, and it is always the same. */
struct node *tagged(void) { return (struct node *)((uintptr_t)malloc(sizeof(struct node)) | 1); }

/* Globals are compared by address: which of the two is given out first is a lost update, too. */
struct node *choose(void) { return &fixed[taken++ & 1]; }

#pragma fencepost init prepare()
#pragma fencepost op m = make(any(1, 2))
#pragma fencepost op t = take()
#pragma fencepost op c = cursor()
#pragma fencepost op b = both()
#pragma fencepost op x = exchange()
#pragma fencepost op g = tagged()
#pragma fencepost op f = choose()
#pragma fencepost test Tm = m ( m | m )
#pragma fencepost test Tt = ( t | t )
#pragma fencepost test Tc = ( c | c )
#pragma fencepost test Tb = ( b | x )
#pragma fencepost test Tg = ( g g | g )
#pragma fencepost test Tf = ( f | f )
#pragma fencepost model sc
#pragma fencepost expect Tm, Tg sc holds
#pragma fencepost expect Tt, Tc, Tb, Tf sc violated
