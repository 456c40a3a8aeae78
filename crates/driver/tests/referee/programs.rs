//! Programs whose traces are tampered with: each has something that the referee must look at.

/// A name, the text, whether memory may be used again, and the models on which to run it.
pub(crate) const PROGRAMS: &[(&str, &str, bool, &[&str])] = &[
    ("values", VALUES, false, &["sc", "tso", "pso", "rmo", "relaxed"]),
    ("threads", THREADS, false, &["sc", "pso", "relaxed"]),
    ("owners", OWNERS, false, &["sc", "pso", "rmo", "relaxed"]),
    ("released", RELEASED, false, &["sc", "pso", "rmo", "relaxed"]),
    ("stale", STALE, false, &["sc", "tso", "rmo"]),
    ("again", AGAIN, true, &["sc", "relaxed"]),
    ("block", BLOCK, false, &["sc", "tso", "relaxed"]),
    ("early", EARLY, false, &["sc", "tso", "rmo"]),
    ("alone", ALONE, false, &["sc", "relaxed"]),
];

/// Operations with arguments and results; words that are also accessed by halves; blocks and fences.
const VALUES: &str = r#"
#include <fencepost.h>
int data, ready, count, k, out;
union { int word; short half[2]; } u;
void send(int v) { k = 1; k = 2; k = 1; out = k; data = v; u.half[1] = 1; fence("store-load"); ready = 1; fp_atomic { count++; count++; } }
int receive(void) { fp_atomic { count += 2; } int w = u.word; return ready ? data + (w & 0) : 5; }
#pragma fencepost op s = send(any(3, 4))
#pragma fencepost op r = receive()
#pragma fencepost test T = s ( s | r )
"#;

/// Threads that are started with arguments, a choice, and an assertion that fails.
const THREADS: &str = r#"
#include <fencepost.h>
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
int x;
atomic_int y;
static void *add(void *p) { x += (int)(long)p; atomic_fetch_add(&y, 1); return 0; }
int main(void)
{
    int n = fp_any(2, 3);
    pthread_t a, b;
    pthread_create(&a, 0, add, (void *)(long)n);
    pthread_create(&b, 0, add, (void *)7L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x != 7 || y != 2);
    return 0;
}
"#;

/// Objects that are freed by the last owner: in time or too early.
const OWNERS: &str = r#"
#include <fencepost.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object { int a, b; } *o;
atomic_int owners = 2;
int seen;
void setup(void) { o = malloc(sizeof *o); o->a = 1; o->b = 1; }
void put(void) { o->a = 2; seen = o->b; if (atomic_fetch_sub_explicit(&owners, 1, memory_order_relaxed) == 1) free(o); }
#pragma fencepost init setup()
#pragma fencepost op p = put()
#pragma fencepost test T = ( p | p )
"#;

/// As before, always in time.
const RELEASED: &str = r#"
#include <fencepost.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object { int a, b; } *o;
atomic_int owners = 2;
int seen;
void setup(void) { o = malloc(sizeof *o); o->a = 1; o->b = 1; }
void put(void) { o->a = 2; seen = o->b; if (atomic_fetch_sub_explicit(&owners, 1, memory_order_acq_rel) == 1) free(o); }
#pragma fencepost init setup()
#pragma fencepost op p = put()
#pragma fencepost test T = ( p | p )
"#;

/// An object that its own thread has freed.
const STALE: &str = r#"
#include <stdlib.h>
struct object { int a; } *o;
int seen, x;
void setup(void) { o = malloc(sizeof *o); o->a = 1; }
void use(void) { free(o); seen = o->a; }
void other(void) { x = 1; }
#pragma fencepost init setup()
#pragma fencepost op u = use()
#pragma fencepost op o = other()
#pragma fencepost test T = ( u | o )
"#;

/// Memory that is freed and taken again.
const AGAIN: &str = r#"
#include <fencepost.h>
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
struct object { int a; } *first;
int freed, same;
static void *taker(void *unused)
{
    fp_assume(freed);
    fence("load-load");
    struct object *mine = malloc(sizeof *mine);
    mine->a = 2;
    same = mine == first;
    return 0;
}
int main(void)
{
    first = malloc(sizeof *first);
    first->a = 1;
    pthread_t other;
    pthread_create(&other, 0, taker, 0);
    free(first);
    fence("store-store");
    freed = 1;
    pthread_join(other, 0);
    assert(!same);
    return 0;
}
"#;

/// A block that stops half way, beside an assertion that fails whatever it does.
const BLOCK: &str = r#"
#include <fencepost.h>
#include <assert.h>
#include <pthread.h>
int busy, gate, done;
static void *work(void *unused)
{
    fp_atomic { busy = 1; done = busy; fp_assume(gate); busy = 0; }
    return 0;
}
int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    int b = busy;
    assert(b == 1);
    return 0;
}
"#;

/// A block that is never left, and what comes before it. What it stores was there before.
const EARLY: &str = r#"
#include <fencepost.h>
#include <assert.h>
#include <pthread.h>
int x, y;
static void *wait(void *unused) { x = 1; fp_atomic { y = 0; fp_assume(y == 2); } return 0; }
int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, wait, 0);
    fp_assume(x == 1);
    assert(y == 1);
    return 0;
}
"#;

/// One thread.
const ALONE: &str = r#"
#include <stdlib.h>
int x, y;
int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    x = *p;
    x = x + 1;
    y = x;
    x = 2;
    y = x;
    free(p);
    return 0;
}
"#;
