/* Designated initialisers, elided braces, compound literals, and zeros for what is not named. */
#include <assert.h>
#include <stddef.h>
#pragma fencepost expect main sc holds

struct point {
    int x, y;
};
struct deep {
    int a;
    struct point p[2];
    union {
        char c;
        long l;
    } u;
    int tail;
};

static int sparse[] = {[3] = 30, [1] = 10, 11, [5] = 50};
static int range[8] = {[2 ... 4] = 7, 8};
static struct deep elided = {1, 2, 3, 4, 5, 6, 7};
static struct deep designated = {.p[1].y = 9, .u.l = -1, 12, .a = 3};
static struct point *const literal = &(struct point){4, 5};
static int *const elements = (int[]){1, 2, 3};
static const char text[] = "abc", exact[3] = "xyz", padded[6] = "no";
static struct point last_wins = {.x = 1, .x = 2};
static struct deep list_wins = {.p[0].x = 1, .p[0] = {.y = 2}, .p = {[1].x = 3}};
static struct point rows[3] = {{1, 2}, {3, 4}, [0 ... 1] = {.y = 5}, [1].x = 6};
union overlaid {
    long whole;
    int half;
    struct point p;
};
static union overlaid last_member = {-1, .half = 0}, same_member = {.p.x = 1, .p.y = 2};
static struct {
    union overlaid u;
    int tail;
} inner_member = {-1, 4, .u.p.y = 3};
static int square[2][2] = {{1}, {2, 3}}, line[2][2] = {1, 2, 3};
static int (*const address)[8] = &range;
static int *inside = &square[1][1];
static long offset = (long)&((struct deep *)0)->tail;

static int total(const struct point *p, int n)
{
    int result = 0;
    for (int i = 0; i < n; i++)
        result += p[i].x * p[i].y;
    return result;
}

static int counter;
static int next(void) { return ++counter; }

int main(void)
{
    assert(sizeof sparse == 24);
    assert(sparse[0] == 0 && sparse[1] == 10 && sparse[2] == 11 && sparse[3] == 30 && sparse[4] == 0);
    assert(sparse[5] == 50);
    assert(range[1] == 0 && range[2] == 7 && range[4] == 7 && range[5] == 8 && range[6] == 0);
    assert((*address)[3] == 7);
    assert(elided.a == 1 && elided.p[0].x == 2 && elided.p[1].y == 5 && elided.u.c == 6);
    assert(elided.tail == 7);
    assert(designated.a == 3 && designated.p[0].x == 0 && designated.p[1].y == 9);
    assert(designated.u.l == -1 && designated.tail == 12);
    assert(literal->x == 4 && literal->y == 5 && elements[2] == 3);
    literal->x++;
    assert(literal->x == 5);
    assert(sizeof text == 4 && text[3] == 0 && exact[2] == 'z' && padded[1] == 'o' && padded[5] == 0);
    assert(last_wins.x == 2 && last_wins.y == 0);
    assert(list_wins.p[0].x == 0 && list_wins.p[0].y == 0 && list_wins.p[1].x == 3);
    assert(rows[0].x == 0 && rows[0].y == 5 && rows[1].x == 6 && rows[1].y == 5 && rows[2].x == 0);
    struct point swept[2] = {[0].x = 1, [0] = {.y = 2}};
    assert(swept[0].x == 0 && swept[0].y == 2 && swept[1].y == 0);
    assert(last_member.whole == 0 && same_member.p.x == 1 && same_member.p.y == 2);
    assert(inner_member.u.p.x == 0 && inner_member.u.p.y == 3 && inner_member.tail == 4);
    union overlaid local_member = {.whole = -1, .p.x = 5};
    assert(local_member.p.x == 5 && local_member.p.y == 0);
    assert(square[0][1] == 0 && square[1][1] == 3 && line[0][1] == 2 && line[1][0] == 3);
    assert(*inside == 3 && offset == offsetof(struct deep, tail) && offset == 32);

    struct deep local = {.tail = 5};
    assert(local.a == 0 && local.p[0].x == 0 && local.p[1].y == 0 && local.u.l == 0 && local.tail == 5);
    struct deep copy = {2, {local.p[0], {7, 8}}, {'c'}, next()};
    assert(copy.p[0].y == 0 && copy.p[1].x == 7 && copy.u.c == 'c' && copy.tail == 1);
    int ordered[3] = {next(), next(), next()};
    assert(ordered[0] == 2 && ordered[1] == 3 && ordered[2] == 4);
    char word[] = {'h', 'i', 0};
    assert(sizeof word == 3 && word[1] == 'i');
    char filled[8] = {"ab"};
    assert(filled[1] == 'b' && filled[2] == 0 && filled[7] == 0);
    int zeros[4] = {0};
    assert(zeros[0] + zeros[1] + zeros[2] + zeros[3] == 0);
    int scalar = {6};
    assert(scalar == 6);

    assert(total((struct point[]){{1, 2}, {3, 4}}, 2) == 14);
    assert((struct point){.y = 3}.x == 0 && (int){9} == 9);
    int *fresh = &(int){1};
    *fresh += 1;
    assert(*fresh == 2);
    int seen = 0;
    for (int i = 0; i < 3; i++) {
        struct point *p = &(struct point){.y = i};
        assert(p->x == 0 && p->y == i);
        p->x = 100;
        int again[2] = {i};
        assert(again[1] == 0);
        again[1] = 5;
        seen += p->x + again[0];
    }
    assert(seen == 303);
    struct point moved = {1, 2};
    moved = (struct point){moved.y, moved.x};
    assert(moved.x == 2 && moved.y == 1);
    return 0;
}
