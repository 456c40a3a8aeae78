/* Structs: nested, anonymous, copied, assigned, passed and returned. */
#include <assert.h>
#include <stddef.h>
#pragma fencepost expect main sc holds

struct point {
    int x, y;
};
struct box {
    struct point min, max;
    struct {
        char tag;
        union {
            long id;
            char name[8];
        };
    };
    struct box *next;
};

static struct box make(int x, int y)
{
    struct box b = {.min = {x, y}, .max.x = x + 10, .max.y = y + 10, .tag = 't', .id = 99};
    return b;
}

static struct box grow(struct box b, int by)
{
    b.min.x -= by;
    b.max.x += by;
    return b;
}

static int area(const struct box *b) { return (b->max.x - b->min.x) * (b->max.y - b->min.y); }

struct list {
    struct list *next;
    int value;
};

struct row {
    int cells[3];
};

static struct row shifted(struct row r)
{
    int first = r.cells[0];
    r.cells[0] = r.cells[1];
    r.cells[1] = r.cells[2];
    r.cells[2] = first;
    return r;
}

int main(void)
{
    struct box a = make(1, 2);
    assert(a.min.x == 1 && a.min.y == 2 && a.max.x == 11 && a.max.y == 12);
    assert(a.tag == 't' && a.id == 99 && a.name[0] == 99 && a.next == NULL);
    struct box b = grow(a, 5);
    assert(a.min.x == 1 && b.min.x == -4 && b.max.x == 16);
    assert(area(&a) == 100 && area(&b) == 200);
    assert(grow(grow(a, 1), 1).max.x == 13);
    struct box c;
    c = b = a;
    c.min.x = 7;
    assert(b.min.x == 1 && c.min.x == 7 && c.id == 99);
    struct box *p = &b, **pp = &p;
    p->next = &c;
    p->next->next = &a;
    assert((*pp)->next->next->min.y == 2);
    *p = *p;
    *p->next = *p;
    assert(c.min.x == 1 && c.next == &c);
    p->max = p->min;
    assert(b.max.x == 1 && b.max.y == 2);

    struct box boxes[3] = {a, [2] = {.min.x = 3}};
    boxes[1] = boxes[2];
    boxes[2].min.x++;
    assert(boxes[0].max.y == 12 && boxes[1].min.x == 3 && boxes[2].min.x == 4 && boxes[1].id == 0);

    struct list three = {0, 3}, two = {&three, 2}, one = {&two, 1};
    int sum = 0;
    for (struct list *at = &one; at; at = at->next)
        sum = 10 * sum + at->value;
    assert(sum == 123);

    struct row r = {{1, 2, 3}};
    struct row s = shifted(shifted(r));
    assert(s.cells[0] == 3 && s.cells[1] == 1 && s.cells[2] == 2 && r.cells[0] == 1);
    assert(shifted(r).cells[1] == 3);
    r = shifted(r);
    assert(r.cells[0] == 2 && r.cells[2] == 1);
    int chosen = 1;
    assert((chosen ? r : s).cells[0] == 2 && (!chosen ? r : s).cells[0] == 3);
    struct point u = {1, 2}, v = {3, 4}, w;
    w = u, u = v, v = w;
    assert(u.x == 3 && u.y == 4 && v.x == 1 && v.y == 2);
    return 0;
}
