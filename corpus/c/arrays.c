/* Arrays, pointers into them, and arithmetic on pointers. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#pragma fencepost expect main sc holds

static int grid[3][4];
static int *const middle = &grid[1][2];

static int sum(const int *from, const int *to)
{
    int total = 0;
    while (from != to)
        total += *from++;
    return total;
}

static int last(int cells[static 4], int n) { return cells[n - 1]; }
static int corner(int table[][4]) { return table[2][3]; }
static size_t size_as_parameter(int cells[10]) { return sizeof(cells); }

struct open {
    int length;
    short items[];
};
static struct open filled = {3, {7, 8, 9}};

int main(void)
{
    int a[5] = {1, 2, 3};
    assert(a[0] == 1 && a[2] == 3 && a[3] == 0 && a[4] == 0);
    assert(sizeof a == 20 && sizeof a / sizeof *a == 5 && sizeof &a == 8 && sizeof(a + 0) == 8);
    int *p = a + 1;
    assert(*p == 2 && p[1] == 3 && p[-1] == 1 && 1 [p] == 3 && *(2 + a) == 3);
    assert(p - a == 1 && a - p == -1 && (char *)p - (char *)a == 4);
    *p++ = 20;
    assert(a[1] == 20 && *p == 3);
    *++p = 40;
    assert(a[3] == 40);
    (*p)++;
    assert(a[3] == 41);
    p -= 3;
    assert(p == a && p <= a && p < &a[1] && &a[5] > a && !(p > a));
    p += 2u;
    assert(p == &a[2]);
    assert(sum(a, a + 5) == 65);
    assert(last(a, 4) == 41 && size_as_parameter(a) == 8);
    assert(&a[4] - &a[1] == 3);
    assert((uintptr_t)&a[1] - (uintptr_t)a == 4);
    signed char back = -1;
    assert(*(&a[1] + back) == 1);

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            grid[i][j] = 10 * i + j;
    assert(*middle == 12 && corner(grid) == 23);
    assert(sizeof grid == 48 && sizeof grid[0] == 16);
    int(*row)[4] = grid;
    row++;
    assert((*row)[3] == 13 && row[1][0] == 20 && row - grid == 1);
    assert(*(*(grid + 2) + 1) == 21 && &grid[1][0] == grid[1] && (int *)grid + 6 == middle);
    int *flat = &grid[0][0];
    assert(flat[11] == 23);

    int *pointers[2] = {&a[0], &a[1]};
    int **at = pointers;
    assert(**at == 1 && *at[1] == 20 && **++at == 20);

    long longs[3] = {[1] = -1};
    assert(&longs[2] - &longs[0] == 2 && longs[1] == -1 && longs[0] == 0);
    struct three {
        char c[3];
    } threes[4] = {{{1, 2, 3}}, {{4, 5, 6}}};
    assert(&threes[3] - threes == 3 && threes[1].c[1] == 5 && threes[3].c[2] == 0);
    assert(sizeof threes == 12);

    assert(filled.length == 3 && filled.items[2] == 9 && sizeof filled == 4);
    void *v = a;
    assert((int *)v == a && (int *)(v + 4) == a + 1);
    return 0;
}
