/* Objects live from the entry into their block to its end: a jump back inside of it makes no new ones. */
#include <assert.h>
#pragma fencepost expect main sc holds

static void back_in_the_block(void)
{
    int rounds = 0, *kept = 0, *literal = 0;
again:;
    int local = rounds, *other = &(int){rounds};
    if (rounds == 0) {
        kept = &local;
        literal = other;
    }
    assert(kept == &local && *kept == rounds);
    assert(literal == other && *literal == rounds);
    *kept += 10;
    assert(local == rounds + 10);
    if (++rounds < 3)
        goto again;
}

/* The loop is a block; its condition and its step are in it. */
static void in_the_head_of_a_loop(void)
{
    int *first = 0, *second = 0, *p, rounds = 0;
    while (p = &(int){rounds}, rounds < 3) {
        assert(!first || first == p);
        first = p;
        rounds++;
    }
    for (p = 0; rounds > 0; p = &(int){rounds}) {
        assert(!p || *p == rounds);
        assert(!second || !p || second == p);
        second = p;
        rounds--;
    }
}

static int past_a_declaration(int skip)
{
    int *p = 0;
    for (int i = 0; i < 2; i++) {
        if (skip)
            goto behind;
        int cell = 1;
        p = &cell;
    behind:
        if (skip) {
            cell = 5 + i;
            p = &cell;
        }
        assert(*p == (skip ? 5 + i : 1));
    }
    return *p;
}

static int in_a_switch(int which)
{
    int rounds = 0, *kept = 0;
    switch (which) {
        int cell;
    again:
    case 1:
        cell = rounds;
        if (!kept)
            kept = &cell;
        assert(kept == &cell && *kept == rounds);
        if (++rounds < 3)
            goto again;
        return cell;
    }
    return -1;
}

int main(void)
{
    back_in_the_block();
    in_the_head_of_a_loop();
    assert(past_a_declaration(0) == 1);
    assert(past_a_declaration(1) == 6);
    assert(in_a_switch(1) == 2 && in_a_switch(0) == -1);
    return 0;
}
