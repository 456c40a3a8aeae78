/* Function pointers, recursion, arguments of all kinds. */
#include <assert.h>
#include <stdint.h>
#pragma fencepost expect main sc holds

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int twice(int (*f)(int, int), int x) { return f(f(x, 3), 3); }
static int (*choose(int which))(int, int) { return which ? sub : &add; }

typedef int operation(int, int);
typedef int (*operation_p)(int, int);
static operation_p const table[] = {add, sub};
struct object {
    const struct methods *methods;
    int value;
};
struct methods {
    int (*get)(struct object *);
    void (*set)(struct object *, int);
};
static int get(struct object *o) { return o->value; }
static void set(struct object *o, int value) { o->value = value; }
static const struct methods methods = {.get = get, .set = set};

static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
static int fibonacci(int n)
{
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}
static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
static int is_odd(unsigned n) { return n != 0 && is_even(n - 1); }
static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

struct tree {
    struct tree *left, *right;
    int value;
};
static int depth(const struct tree *t)
{
    if (!t)
        return 0;
    int left = depth(t->left), right = depth(t->right);
    return 1 + (left > right ? left : right);
}
static void hanoi(int n, int from, int to, int *moves)
{
    if (!n)
        return;
    hanoi(n - 1, from, 6 - from - to, moves);
    ++*moves;
    hanoi(n - 1, 6 - from - to, to, moves);
}

static int8_t narrows(uint8_t a, int8_t b, _Bool c, short d) { return a + b + c + d; }
static unsigned widens(signed char c) { return c; }
static void nothing(void) {}
static inline int old_style() { return 5; }
static int changes(int n)
{
    n++;
    int *p = &n;
    *p *= 2;
    return n;
}
static int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

int main(void)
{
    assert(twice(add, 1) == 7 && twice(sub, 1) == -5);
    assert(choose(0)(5, 2) == 7 && choose(1)(5, 2) == 3);
    assert(table[0](1, 2) == 3 && (*table[1])(1, 2) == -1 && (***table)(1, 1) == 2);
    operation *f = add;
    operation_p g = &add;
    assert(f == g && f != sub && *f == add);
    f = f == add ? sub : add;
    assert(f(1, 1) == 0);
    struct object o = {&methods, 4};
    o.methods->set(&o, o.methods->get(&o) + 1);
    assert(o.value == 5);
    assert(factorial(5) == 120 && fibonacci(7) == 13 && gcd(48, 18) == 6);
    assert(is_even(6) && !is_even(5) && is_odd(3));
    struct tree leaf = {0, 0, 1}, left = {&leaf, 0, 2}, root = {&left, &leaf, 3};
    assert(depth(&root) == 3);
    int moves = 0;
    hanoi(3, 1, 3, &moves);
    assert(moves == 7);
    assert(narrows(300, 200, 7, 70000) == (int8_t)(44 - 56 + 1 + 4464));
    assert(widens(-1) == 4294967295u);
    nothing();
    assert(old_style() == 5);
    int n = 3;
    assert(changes(n) == 8 && n == 3);
    assert(many(1, 2, 3, 4, 5, 6, 7, 8) == 204);
    assert(((int (*)(int, int))(uintptr_t)add)(2, 2) == 4);
    return 0;
}
