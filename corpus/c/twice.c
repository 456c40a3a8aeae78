/* What a compiler looks at more than once, to find its type say, means what it means once. */
#include <assert.h>
#pragma fencepost expect main sc holds

static int shared = 4;

struct cell {
    int value;
};

/* One object for all elements. */
static struct cell *cells[] = {[0 ... 2] = &(struct cell){6}};

static int counted(void)
{
    __auto_type count = ({
        static int calls = 40;
        ++calls;
    });
    return count;
}

static const char *named(void)
{
    __auto_type name = ({
        static const char *text = "static";
        static int *address = &shared;
        static struct cell cell = {3};
        cell.value++;
        text + *address - cell.value;
    });
    return name;
}

static int typed(void)
{
    __typeof__(({ static int hidden = 3; hidden; })) other = 2;
    int size = sizeof(({ static int hidden = 3; hidden++; }));
    return other + size + _Generic(({ static int hidden = 9; hidden; }), int: 1, default: 0);
}

int tentative;
char room[sizeof tentative];
int tentative = 5;

struct open {
    int count;
    int items[];
};
struct open open;
int behind = 77;
struct open open = {3, {1, 2, 3}};

int main(void)
{
    assert(counted() == 41 && counted() == 42);
    assert(named()[0] == 's');
    assert(typed() == 7);
    assert(cells[0] == cells[2] && cells[1]->value == 6);
    assert(tentative == 5 && sizeof room == 4);
    behind = 1;
    assert(open.items[0] == 1 && open.items[2] == 3);
    open.items[2] = 4;
    assert(behind == 1);
    return 0;
}
