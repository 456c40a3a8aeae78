/* Against the comparison of outputs with the specification: records with padding, bit-fields and unions. Bytes that
 * no member covers are undefined in every serial execution; if that made the whole record match anything, none of the
 * lost updates below would be found. */

#include <string.h>

struct padded { char ok; int v; };
struct fields { unsigned low : 3; unsigned : 5; int high : 7; };
union either { struct padded p; char c; };
struct nested { struct padded a[2]; union either u; };
struct large { char ok; long v; char end; };

int n;

void by_padded(struct padded *out) { int old = n; n = old + 1; out->ok = 1; out->v = old; }
void by_fields(struct fields *out) { int old = n; n = old + 1; out->low = 1; out->high = old; }
void by_union(union either *out) { int old = n; n = old + 1; out->p.ok = 1; out->p.v = old; }
void by_nested(struct nested *out) { int old = n; n = old + 1; out->a[1].ok = 1; out->a[0].v = old; }

struct padded return_padded(void) { struct padded r; int old = n; n = old + 1; r.ok = 1; r.v = old; return r; }
struct fields return_fields(void) { struct fields r; int old = n; n = old + 1; r.low = 1; r.high = old; return r; }
union either return_union(void) { union either r; int old = n; n = old + 1; r.p.ok = 1; r.p.v = old; return r; }
struct large return_large(void) { struct large r; int old = n; n = old + 1; r.ok = 1; r.v = old; return r; }

/* Padding is not observed: that it depends on the order of the calls is no violation. */
int turn;
void fills(struct padded *out)
{
    int mine;
    memset(out, 0, sizeof *out);
    mine = turn;
    turn = 1;
    ((char *)out)[1] = mine;
    out->ok = 1;
    out->v = 2;
}

#pragma fencepost op p = by_padded(out)
#pragma fencepost op f = by_fields(out)
#pragma fencepost op u = by_union(out)
#pragma fencepost op n = by_nested(out)
#pragma fencepost op P = return_padded()
#pragma fencepost op F = return_fields()
#pragma fencepost op U = return_union()
#pragma fencepost op L = return_large()
#pragma fencepost op s = fills(out)
#pragma fencepost test Tp = ( p | p )
#pragma fencepost test Tf = ( f | f )
#pragma fencepost test Tu = ( u | u )
#pragma fencepost test Tn = ( n | n )
#pragma fencepost test TP = ( P | P )
#pragma fencepost test TF = ( F | F )
#pragma fencepost test TU = ( U | U )
#pragma fencepost test TL = ( L | L )
#pragma fencepost test Ts = ( s | s )
#pragma fencepost model sc
#pragma fencepost expect Tp, Tf, Tu, Tn, TP, TF, TU, TL sc violated
#pragma fencepost expect Ts sc holds
