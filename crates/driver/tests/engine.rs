//! What the engine must not get wrong about loops, waiting, prefixes of executions and primed operations.

mod common;

use common::session as load;
use fencepost_bounded::check::{self, Options};
use fencepost_driver::check::{Terms, check, leeway};
use fencepost_harness::budget::Poll;
use fencepost_harness::engine::Finding;
use fencepost_harness::question::Question;
use fencepost_harness::result::{CheckResult, Verdict};
use fencepost_harness::verdict::Kind;

fn run(text: &str, model: &str) -> CheckResult {
    let session = load(text);
    let subject = session.questions().remove(0);
    let model = fencepost_models::builtin(model).expect("it ships");
    check(&session, &subject, &model, &Terms::default(), &|_| {})
}

fn expect(text: &str, model: &str, expected: Kind) -> CheckResult {
    let result = run(text, model);
    let why = match &result.verdict {
        Verdict::Inconclusive(reason) => reason.to_string(),
        _ => String::new(),
    };
    assert_eq!(result.verdict.kind(), expected, "on {model}: {why}\n{text}");
    result
}

/// A bound that cuts initialisation must not make everything behind it vanish.
#[test]
fn initialisation_loops_run_to_their_end() {
    let text = "
int slots[40], x;
void setup(void) { for (int i = 0; i < 40; i++) slots[i] = i; }
int read(void) { return slots[39] + x; }
void write(void) { x = 1; x = 2; }
#pragma fencepost init setup()
#pragma fencepost op r = read()
#pragma fencepost op w = write()
#pragma fencepost test T = ( r | w )
";
    let result = expect(text, "sc", Kind::Violated);
    let Verdict::Violated(example) = &result.verdict else { unreachable!("just asserted") };
    let observed = example.trace.threads[1].calls[0].results.as_ref().expect("it is complete");
    assert_eq!(observed[0].defined(), Some(40), "the write is seen half done, on top of the last slot");
}

/// A thread that waits for one that was cut at a loop bound must not hide that the bound was exceeded.
#[test]
fn waiting_for_a_thread_that_exceeds_its_bound() {
    let text = "
int n = 3, count, done, flag;
void work(void) { int i = n; while (i > 0) { count++; i--; } done = 1; }
int wait(void) { while (!done) ; return count; }
void change(void) { n = 2; }
#pragma fencepost op w = work()
#pragma fencepost op r = wait()
#pragma fencepost op c = change()
#pragma fencepost test T = ( w | r | c )
";
    let result = expect(text, "sc", Kind::Holds);
    let most = result.scope.loops.iter().filter(|info| !info.spin).map(|info| info.bound).max();
    assert_eq!(most, Some(4), "three rounds and the test that ends them");
    assert_eq!(result.scope.observations, Some(2));
}

/// An error in a critical section counts even though the other thread then waits for ever.
#[test]
fn an_error_that_leaves_others_waiting() {
    let text = "
#include <fencepost.h>
#include <assert.h>
lock_t l;
int x;
void inc(void) { lock(&l); x++; assert(x < 2); unlock(&l); }
#pragma fencepost op i = inc()
#pragma fencepost test T = ( i | i )
";
    let result = run(text, "sc");
    assert_eq!(result.verdict.kind(), Kind::Violated);
}

#[test]
fn an_error_only_others_can_cause_while_they_wait() {
    // Thread 2 can only go on after thread 1, which fails first.
    let text = "
#include <pthread.h>
#include <assert.h>
int go, done, x;
void *first(void *a) { while (!go) ; assert(x == 0); done = 1; return 0; }
void *second(void *a) { x = 1; go = 1; while (!done) ; return 0; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
";
    for model in ["sc", "tso", "relaxed"] {
        expect(text, model, Kind::Violated);
    }
}

/// Locks of every usual kind: right ones hold on all models, and their spin loops need no bound.
#[test]
fn spin_locks() {
    let locks = [
        ("exchange", "while (atomic_exchange(&l, 1)) ;", "atomic_store(&l, 0);", true),
        (
            "acquire",
            "while (atomic_exchange_explicit(&l, 1, memory_order_acquire)) ;",
            "atomic_store_explicit(&l, 0, memory_order_release);",
            true,
        ),
        (
            "cas",
            "int z = 0; while (!atomic_compare_exchange_strong(&l, &z, 1)) z = 0;",
            "atomic_store(&l, 0);",
            true,
        ),
        (
            "test and test and set",
            "for (;;) { while (atomic_load(&l)) ; if (!atomic_exchange(&l, 1)) break; }",
            "atomic_store(&l, 0);",
            true,
        ),
        ("sync", "while (__sync_lock_test_and_set(&l, 1)) ;", "__sync_lock_release(&l);", true),
        ("flag", "while (atomic_flag_test_and_set(&f)) ;", "atomic_flag_clear(&f);", true),
        ("plain", "while (l) ; l = 1;", "l = 0;", false),
        (
            "relaxed",
            "while (atomic_exchange_explicit(&l, 1, memory_order_relaxed)) ;",
            "atomic_store_explicit(&l, 0, memory_order_relaxed);",
            false,
        ),
    ];
    for (name, acquire, release, right) in locks {
        let text = format!(
            "
#include <stdatomic.h>
#include <assert.h>
atomic_int l;
atomic_flag f = ATOMIC_FLAG_INIT;
int x;
int inc(void) {{ {acquire} int y = ++x; {release} return y; }}
#pragma fencepost op i = inc()
#pragma fencepost test T = ( i | i )
"
        );
        let result = run(&text, "relaxed");
        let expected = if right { Kind::Holds } else { Kind::Violated };
        assert_eq!(result.verdict.kind(), expected, "{name}: {:?}", result.verdict);
        if right {
            assert!(result.scope.loops.iter().any(|info| info.spin), "{name} is seen to wait");
        }
    }
}

/// A loop whose repetitions change memory is no spin loop, however much it looks like one.
#[test]
fn loops_with_silent_looking_stores() {
    let text = "
#include <stdatomic.h>
atomic_int x;
int pull(void) { while (atomic_fetch_add(&x, 1) < 2) ; return atomic_load(&x); }
#pragma fencepost op p = pull()
#pragma fencepost test T = ( p | p )
";
    let result = run(text, "sc");
    let Verdict::Violated(example) = &result.verdict else { panic!("{:?}", result.verdict) };
    assert!(result.scope.loops.iter().all(|info| !info.spin), "the loop counts");
    assert!(example.trace.threads.iter().flat_map(|thread| &thread.calls).all(|call| call.results.is_some()));
}

/// Spin loops taken as one successful round, and unrolled: neither finds what the other does not.
#[test]
fn reducing_spin_loops_changes_nothing() {
    let programs = [
        (
            "int l, x; int op(void) { while (__sync_lock_test_and_set(&l, 1)) ; int y = ++x; __sync_lock_release(&l); return y; }",
            false,
        ),
        ("int l, x; int op(void) { while (l) ; l = 1; int y = ++x; l = 0; return y; }", true),
        (
            "int f, x; int op(void) { if (__sync_fetch_and_add(&f, 1) == 0) { x = 7; f = 9; } else while (f < 9) ; return x; }",
            false,
        ),
        (
            "int f, x; int op(void) { if (__sync_fetch_and_add(&f, 1) == 0) { f = 9; x = 7; } else while (f < 9) ; return x; }",
            true,
        ),
    ];
    for (program, wrong) in programs {
        let text =
            format!("{program}\n#pragma fencepost op o = op()\n#pragma fencepost test T = ( o | o )\n");
        for name in ["sc", "tso"] {
            let session = load(&text);
            let model = fencepost_models::builtin(name).expect("it ships");
            let subject = session.questions().remove(0);
            let test = subject.test().expect("it is a test");
            let mined = session.specification(test, &Poll::never()).expect("nobody stops it");
            let fencepost_harness::mine::Mined::Specification { observations, .. } = &*mined else {
                panic!("{mined:?}")
            };
            for reduce_spins in [true, false] {
                let mut options = Options { max_unroll: 3, ..Options::default() };
                options.unroll.reduce_spins = reduce_spins;
                options.unroll.leeway = leeway(&[&model]);
                let subject = &Question::Test(test.clone());
                let outcome =
                    check::check(&session.harness, subject, &model, Some(observations), &options, &|_| {});
                match outcome.finding {
                    Finding::Violated { .. } => assert!(wrong, "{name} {reduce_spins} {program}"),
                    Finding::Holds => {
                        assert!(!wrong && reduce_spins, "{name} {reduce_spins} {program}")
                    }
                    Finding::Inconclusive(reason) => {
                        assert!(!wrong && !reduce_spins, "{name} {reduce_spins} {reason} {program}");
                    }
                }
            }
        }
    }
}

/// A primed operation leaves out executions in which a retry loop repeats, and only retry loops.
#[test]
fn primed_operations_do_not_retry() {
    let text = |test: &str| {
        format!(
            "
#include <fencepost.h>
int x, steps;
int inc(void) {{ int old, tries = 0; do {{ old = x; tries++; }} while (!cas(&x, old, old + 1)); return tries; }}
int walk(int n) {{ int sum = 0; for (int i = 0; i < n; i++) sum += x; return sum; }}
#pragma fencepost op i = inc()
#pragma fencepost op w = walk(3)
#pragma fencepost test T = {test}
"
        )
    };
    // Without primes a second try is observed, which no serial execution has.
    expect(&text("( i | i )"), "sc", Kind::Violated);
    expect(&text("( i' | i' )"), "sc", Kind::Holds);
    // Walking is no retrying.
    let result = expect(&text("( i' | w' )"), "sc", Kind::Violated);
    assert_eq!(result.test, "T");
}

/// A variable of one's own that others cannot reach is seen as one left it, on every model.
#[test]
fn locals_in_memory() {
    let text = "
int x;
void fill(int *p, int n) { for (int i = 0; i < 3; i++) p[i] = n + i; }
int sum(int n) { int a[3]; fill(a, n); int s = 0; for (int i = 0; i < 3; i++) s += a[i]; return s + x * 0; }
void set(void) { x = 1; }
#pragma fencepost op s = sum(any(1, 2))
#pragma fencepost op t = set()
#pragma fencepost test T = ( s | t )
";
    for model in ["sc", "tso", "pso", "rmo", "relaxed"] {
        expect(text, model, Kind::Holds);
    }
}

/// The halves of a word written whole, and a word written by halves.
#[test]
fn accesses_of_different_sizes() {
    let text = "
#include <stdint.h>
union { uint64_t whole; struct { uint32_t low, high; }; } u;
uint64_t read(void) { return u.whole; }
void low(void) { u.low = 1; }
void high(void) { u.high = 2; }
void both(void) { u.whole = 0x300000003; }
uint32_t half(void) { return u.high; }
#pragma fencepost op r = read()
#pragma fencepost op l = low()
#pragma fencepost op h = high()
#pragma fencepost op b = both()
#pragma fencepost op q = half()
#pragma fencepost test T = ( r | l | h | b | q )
";
    for model in ["sc", "relaxed"] {
        expect(text, model, Kind::Holds);
    }
    let torn = text.replace("return u.whole;", "uint64_t high = u.high; return high << 32 | u.low;");
    expect(&torn, "sc", Kind::Violated);
}

/// A weak compare-and-swap is taken for a strong one, and the result says so.
#[test]
fn spurious_failures_are_not_explored() {
    let swap = |call: &str| {
        format!(
            "
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
int weak = 1;
int main(void) {{ int old = 0; assert({call}); return 0; }}
"
        )
    };
    let caveat = ["spurious failures of weak compare-and-swap".to_owned()];
    let weak = [
        "atomic_compare_exchange_weak(&x, &old, 1)",
        "atomic_compare_exchange_weak_explicit(&x, &old, 1, memory_order_acquire, memory_order_relaxed)",
        "__atomic_compare_exchange_n(&x, &old, 1, 1, 5, 5)",
        "__atomic_compare_exchange_n(&x, &old, 1, weak, 5, 5)",
    ];
    for call in weak {
        assert_eq!(expect(&swap(call), "sc", Kind::Holds).scope.caveats, caveat, "{call}");
    }
    let strong = [
        "atomic_compare_exchange_strong(&x, &old, 1)",
        "__atomic_compare_exchange_n(&x, &old, 1, 0, 5, 5)",
        "__sync_bool_compare_and_swap(&x, 0, 1)",
        "sizeof(atomic_compare_exchange_weak(&x, &old, 1)) == 1",
    ];
    for call in strong {
        assert!(expect(&swap(call), "sc", Kind::Holds).scope.caveats.is_empty(), "{call}");
    }
}

/// C11's functions move pointers by elements, GCC's by bytes.
#[test]
fn atomic_functions_move_pointers() {
    let text = "
#include <stdatomic.h>
#include <assert.h>
int cells[3];
_Atomic(int *) p = cells;
int *q = cells;
int main(void) {
    assert(atomic_fetch_add(&p, 2) == cells && p == cells + 2);
    assert(atomic_fetch_sub_explicit(&p, 1, memory_order_relaxed) == cells + 2 && p == cells + 1);
    assert(__atomic_fetch_add(&q, 4, __ATOMIC_SEQ_CST) == cells && q == cells + 1);
    assert(__sync_sub_and_fetch(&q, 4) == cells);
    return 0;
}
";
    expect(text, "sc", Kind::Holds);
}

/// A condition variable wakes those that sleep, one for a signal and all for a broadcast, and orders nothing by
/// itself: the mutex does.
#[test]
fn condition_variables() {
    let program = |wait: &str, wake: &str| {
        format!(
            "
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, data, awake;
void *sleeper(void *unused)
{{
    pthread_mutex_lock(&m);
    {wait}
    awake++;
    assert(data == 1);
    assert(awake < 2);
    pthread_mutex_unlock(&m);
    return 0;
}}
int main(void)
{{
    pthread_t t, u;
    pthread_create(&t, 0, sleeper, 0);
    pthread_create(&u, 0, sleeper, 0);
    pthread_mutex_lock(&m);
    data = 1;
    ready = 1;
    {wake}
    pthread_mutex_unlock(&m);
    return 0;
}}
"
        )
    };
    let (patient, signal) = ("while (!ready) pthread_cond_wait(&c, &m);", "pthread_cond_signal(&c);");
    // Both get through, one of them without having slept.
    expect(&program(patient, signal), "relaxed", Kind::Violated);
    // A signal wakes one of two that sleep; a broadcast wakes both.
    let asleep = "pthread_cond_wait(&c, &m);";
    expect(&program(asleep, signal), "relaxed", Kind::Holds);
    expect(&program(asleep, &format!("{signal}{signal}")), "sc", Kind::Violated);
    expect(&program(asleep, "pthread_cond_broadcast(&c);"), "sc", Kind::Violated);
    // Whoever is not patient may see that nothing is ready.
    let hasty = "pthread_cond_timedwait(&c, &m, 0);";
    expect(&program(hasty, signal).replace("awake < 2", "1"), "sc", Kind::Violated);
    let checked = "if (pthread_cond_timedwait(&c, &m, 0)) { pthread_mutex_unlock(&m); return 0; }";
    let result = expect(&program(checked, signal), "relaxed", Kind::Holds);
    let caveats = &result.scope.caveats;
    assert!(caveats.iter().any(|caveat| caveat == "wake-ups of condition variables without reason"));
}

/// `fp_hash` is the identity, or with a domain and a range any function: of three calls in a row that tell whether
/// the hash was the same as before, 63 of the 27 * 4 conceivable observations remain.
#[test]
fn any_hash_function() {
    let program = |head: &str| {
        format!(
            "{head}
#include <fencepost.h>
#include <stdbool.h>
int last = -1;
bool same(int x) {{ int hash = fp_hash(x); bool result = hash == last; last = hash; return result; }}
#pragma fencepost op s = same(any(0, 1, 2))
#pragma fencepost test T = s s ( s )
"
        )
    };
    assert_eq!(expect(&program(""), "sc", Kind::Holds).scope.observations, Some(27));
    let chosen = program("#define FP_HASH_DOMAIN 3\n#define FP_HASH_RANGE 2");
    assert_eq!(expect(&chosen, "sc", Kind::Holds).scope.observations, Some(63));
    expect(&program("#define FP_HASH_DOMAIN 2\n#define FP_HASH_RANGE 2"), "sc", Kind::Violated);
}

/// A status is no error, whether `main` returns it or `exit` gets it; to abort is one.
#[test]
fn a_status_is_no_error() {
    let program = |end: &str| {
        format!(
            "#include <fencepost.h>\n#include <stdlib.h>\n\
             int main(void) {{ if (fp_any(0, 1)) {end} return 3; }}\n"
        )
    };
    for (end, verdict) in [
        ("return 2;", Kind::Holds),
        ("exit(3);", Kind::Holds),
        ("exit(0);", Kind::Holds),
        ("abort();", Kind::Violated),
    ] {
        expect(&program(end), "sc", verdict);
    }
}

/// Addresses are fixed; where that may decide, the scope says so, and nowhere else.
#[test]
fn placements_are_not_explored() {
    let program = |expression: &str| {
        format!(
            "
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
int cells[4];
static int between(int *p, int *first, int *last) {{ return p >= first && p < last; }}
static unsigned slot(uintptr_t key) {{ return key % 7; }}
int main(void)
{{
    int *p = malloc(4), *q = malloc(4), local[3];
    uintptr_t word = (uintptr_t)p;
    assert(({expression}) || 1);
    free(p);
    free(q);
    return 0;
}}
"
        )
    };
    let caveats = |expression: &str| {
        let mut caveats = expect(&program(expression), "sc", Kind::Holds).scope.caveats;
        caveats.retain(|caveat| caveat.starts_with("other places"));
        caveats
    };
    let says = |line: u32, what: &str| {
        vec![format!("other places of objects in memory, although line {line} of program.c {what}")]
    };
    for compares in ["p < q", "q - p", "p <= cells"] {
        assert_eq!(caveats(compares), says(12, "compares addresses"), "{compares}");
    }
    assert_eq!(caveats("between(p, cells, cells + 4) && 0").len(), 1);
    for computes in
        ["word % 16", "word >> 4", "word * 31", "word & 0xff0", "word < 100", "(unsigned)word % 3"]
    {
        assert_eq!(caveats(computes), says(12, "computes with an address"), "{computes}");
    }
    assert_eq!(caveats("slot(word) == 3"), says(7, "computes with an address"));
    for harmless in [
        "p == q",
        "cells + 1 < cells + 3",
        "between(cells + 1, cells, cells + 4)",
        "&local[2] - local == 2",
        "(word & 7) == 0",
        "(int *)((word | 1) & ~(uintptr_t)1) == p",
        "(word ^ 1) != word",
        "slot(12) * 2 < 5",
        "sizeof(p < q)",
    ] {
        assert!(caveats(harmless).is_empty(), "{harmless}");
    }
}

/// Compound assignments to an atomic object of 16 bytes change both halves.
#[test]
fn wide_compound_assignments() {
    let program = "
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
_Atomic unsigned __int128 wide;
int main(void)
{
    wide |= 5;
    wide |= (unsigned __int128)1 << 100;
    assert((uint64_t)wide == 5 && (uint64_t)(wide >> 64) == 1ull << 36);
    assert((uint64_t)(wide ^= 4) == 1);
    assert((uint64_t)atomic_fetch_or(&wide, 2) == 1 && (uint64_t)wide == 3);
    assert((uint64_t)__atomic_fetch_nand(&wide, 1, 5) == 3 && (uint64_t)wide == ~1ull);
    return 0;
}
";
    expect(program, "relaxed", Kind::Holds);
}

/// A `pthread.h` declares threads and locks, and what `sched.h` and `time.h` do.
#[test]
fn model_headers_leave_names_alone() {
    let program = "
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
int rand = 1, div, abort, calloc, bool, EBUSY, uint8_t;
int main(void) { rand++; assert(rand == 2 && !EBUSY); return 0; }
";
    expect(program, "sc", Kind::Holds);
}

/// Locks and joins whose caller is not known, in operations of a test, are not taken for misuse.
#[test]
fn operations_may_lock_and_unlock_apart() {
    let program = "
#include <pthread.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;
void take(void) { pthread_mutex_lock(&mutex); count++; }
int give(void) { int seen = count; pthread_mutex_unlock(&mutex); return seen; }
#pragma fencepost op t = take()
#pragma fencepost op g = give()
#pragma fencepost test T = ( t g | t g )
";
    expect(program, "relaxed", Kind::Holds);
}
