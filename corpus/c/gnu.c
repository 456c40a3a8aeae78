/* GNU extensions: statement expressions, typeof, __auto_type, and built-in functions. */
#include <assert.h>
#include <stddef.h>
#pragma fencepost expect main sc holds

#define max(a, b)                  \
    ({                             \
        __typeof__(a) first = (a); \
        __auto_type second = (b);  \
        first > second ? first : second; \
    })
#define container_of(at, type, member) ((type *)((char *)(at) - offsetof(type, member)))
#define READ_ONCE(x) (*(volatile __typeof__(x) *)&(x))

struct node {
    int value;
    struct node *link;
};

static int evaluated;
static int once(int n)
{
    evaluated++;
    return n;
}

static int leaves_early(int n)
{
    int result = 1 + ({
        if (n > 5)
            return -1;
        int square = n * n;
        square;
    });
    return result;
}

static void clean(int *p) { (void)p; }

int main(void)
{
    assert(max(3, 7) == 7 && max(once(9), 2) == 9 && evaluated == 1);
    assert(max(max(1, 5), max(4, 2)) == 5);
    assert(({ 1; 2; 3; }) == 3);
    int i = 1;
    int j = ({
        int i = 10;
        while (i < 15)
            i++;
        i;
    }) + i;
    assert(j == 16 && i == 1);
    assert(leaves_early(3) == 10 && leaves_early(6) == -1);

    struct node n = {5, 0};
    struct node **link = &n.link;
    assert(container_of(link, struct node, link)->value == 5);
    typeof(n) copy = n;
    typeof(&n) pointer = &copy;
    pointer->value++;
    assert(copy.value == 6 && n.value == 5);
    typeof(int[3]) array = {1, 2, 3};
    assert(sizeof array == 12 && array[2] == 3);
    typeof(once) *call = once;
    assert(call(4) == 4);
    evaluated = 0;
    typeof(once(1)) unused = 8;
    assert(evaluated == 0 && unused == 8);
    assert(READ_ONCE(i) == 1);
    READ_ONCE(i) = 2;
    assert(i == 2);

    assert(__builtin_expect(i == 2, 1));
    assert(__builtin_types_compatible_p(typeof(i), int) && !__builtin_types_compatible_p(int, long));
    assert(__builtin_choose_expr(1, 5, (void)0) == 5);
    assert(__builtin_constant_p(3));
    assert(__alignof__(long) == 8);
    __extension__ long long big = 1;
    assert(sizeof big == 8);
    if (i == 0)
        __builtin_unreachable();
    struct {
    } empty;
    assert(sizeof empty == 0);
    int x = 4;
    int y = x ?: 9;
    assert(y == 4);
    (void)clean;
    return 0;
}
