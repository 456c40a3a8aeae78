/* goto: backwards, out of loops, between states; jumps over declarations. */
#include <assert.h>
#pragma fencepost expect main sc holds

/* Counts runs of `a`. */
static int runs(const char *text)
{
    int count = 0;
outside:
    switch (*text++) {
    case 'a': goto inside;
    case 0: goto done;
    default: goto outside;
    }
inside:
    count++;
within:
    switch (*text++) {
    case 'a': goto within;
    case 0: goto done;
    default: goto outside;
    }
done:
    return count;
}

static int fresh_each_time(void)
{
    int rounds = 0, total = 0;
again:;
    int fresh = 0;
    int cells[2] = {rounds};
    fresh += 1 + cells[1];
    cells[1] = 7;
    total += fresh;
    if (++rounds < 3)
        goto again;
    return total;
}

static int out_of_three(int wanted)
{
    int steps = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            switch (i * 3 + j) {
            default:
                steps++;
                if (i * 3 + j == wanted)
                    goto found;
                continue;
            case 4: continue;
            }
    return -steps;
found:
    return steps;
}

static int cleanup(int fail_at)
{
    int state = 0;
    if (fail_at == 1)
        goto fail;
    state |= 1;
    if (fail_at == 2)
        goto undo_first;
    state |= 2;
    if (fail_at == 3)
        goto undo_second;
    return state;
undo_second:
    state &= ~2;
undo_first:
    state &= ~1;
fail:
    return -1 - state;
}

static int skips_a_declaration(int skip)
{
    if (skip)
        goto behind;
    int value = 5;
    return value;
behind:
    value = 6;
    return value;
}

int main(void)
{
    assert(runs("") == 0 && runs("aabxa") == 2 && runs("xax") == 1);
    assert(fresh_each_time() == 3);
    assert(out_of_three(0) == 1 && out_of_three(5) == 5 && out_of_three(4) == -8);
    assert(cleanup(0) == 3 && cleanup(1) == -1 && cleanup(2) == -1 && cleanup(3) == -1);
    assert(skips_a_declaration(0) == 5 && skips_a_declaration(1) == 6);
    return 0;
}
