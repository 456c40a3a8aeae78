//! Every limit of the engine, at the limit and one past it: what does not fit is inconclusive, and the reason says what
//! there is too much of.

mod support;

use fencepost_explore::rlx::{self, rules::RMO};
use fencepost_explore::{Buffering, Options, Reductions, explore};
use fencepost_harness::client::{Client, FixedCall};
use fencepost_harness::engine::Finding;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::test::Test;
use fencepost_harness::verdict::Reason;
use support::program;

/// What an exploration is said to need that there is not.
fn missing(verdict: Finding) -> Option<String> {
    match verdict {
        Finding::Inconclusive(Reason::Unsupported(what)) => Some(what),
        Finding::Inconclusive(reason) => panic!("{reason}"),
        _ => None,
    }
}

fn closed(text: &str, options: &Options) -> Finding {
    let harness = program(text);
    let main = harness.main.expect("there is a main");
    explore(&harness, &Question::Main(main), None, options, None, &|_| {}).finding
}

/// An operation that many threads call, and a test of so many threads beside the one that starts them.
fn crowd(threads: usize) -> (Harness, Test) {
    let text = "int x; int add(void) { return x++; }
                #pragma fencepost op a = add()
                #pragma fencepost test T = ( a | a )";
    let harness = program(text);
    let mut test = harness.tests[0].clone();
    test.threads = vec![test.threads[0].clone(); threads];
    (harness, test)
}

/// A test is refused one past the limit. Up to there it is explored: its first complete execution is against the
/// specification, which admits nothing.
#[test]
fn threads_of_a_test() {
    let nothing = ObservationSet::default();
    for (threads, expected) in
        [(63, None), (64, Some("more than 64 threads")), (65, Some("more than 64 threads"))]
    {
        let (harness, test) = crowd(threads);
        let subject = &Question::Test(test.clone());
        for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
            let options = Options { buffering: model, ..Options::default() };
            let found = explore(&harness, subject, Some(&nothing), &options, None, &|_| {});
            assert_eq!(missing(found.finding).as_deref(), expected, "{model:?}, {threads}");
        }
        let rules = &RMO;
        let found = rlx::explore(&harness, subject, Some(&nothing), rules, &rlx::Options::default());
        let refused = match found.holds {
            Err(Reason::Unsupported(what)) => Some(what),
            Err(reason) => panic!("{reason}"),
            Ok(_) => None,
        };
        assert_eq!(refused.as_deref(), expected, "execution buffers, {threads}");
    }
}

/// The same of clients whose threads are alike.
#[test]
fn threads_of_a_client() {
    for (threads, expected) in
        [(63, None), (64, Some("more than 64 threads")), (80, Some("more than 64 threads"))]
    {
        let (harness, test) = crowd(1);
        let call = FixedCall { op: test.threads[0][0].op, args: Vec::new() };
        let client = Client { initial: Vec::new(), threads: vec![vec![call]; threads] };
        let mut options = Options {
            reductions: Reductions { symmetry: true, ..Reductions::default() },
            ..Options::default()
        };
        options.budget.states = Some(2_000);
        let found = explore(&harness, &Question::Client(client.clone()), None, &options, None, &|_| {});
        let refused = match found.finding {
            Finding::Inconclusive(Reason::Unsupported(what)) => Some(what),
            _ => None,
        };
        assert_eq!(refused.as_deref(), expected, "{threads}");
    }
}

/// A closed program that starts threads one after the other.
fn starting(threads: usize) -> String {
    format!(
        "#include <assert.h>
         #include <pthread.h>
         int x;
         static void *body(void *unused) {{ x++; return unused; }}
         int main(void) {{
             for (int i = 0; i < {threads}; i++) {{
                 pthread_t thread;
                 pthread_create(&thread, 0, body, 0);
                 pthread_join(thread, 0);
             }}
             assert(x == {threads});
             return 0;
         }}"
    )
}

#[test]
fn threads_of_a_program() {
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        for reductions in [Reductions::default(), Reductions::NONE] {
            let options = Options { buffering: model, reductions, ..Options::default() };
            assert_eq!(closed(&starting(63), &options), Finding::Holds, "{model:?}");
            let past = closed(&starting(64), &options);
            assert_eq!(missing(past).as_deref(), Some("more than 64 threads"), "{model:?}");
        }
    }
}

/// The last thread's accesses are its own: two of the last threads race.
#[test]
fn the_last_threads_race() {
    let text = starting(61).replace(
        "assert(x == 61);",
        "pthread_t a, b;
         pthread_create(&a, 0, body, 0); pthread_create(&b, 0, body, 0);
         pthread_join(a, 0); pthread_join(b, 0);
         assert(x == 63);",
    );
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        let found = closed(&text, &Options { buffering: model, ..Options::default() });
        assert!(matches!(found, Finding::Violated { .. }), "{model:?}: {found:?}");
    }
}

fn allocating(bytes: &str, times: u32) -> String {
    format!(
        "#include <stdlib.h>
         void *kept[{times}];
         int main(void) {{
             for (int i = 0; i < {times}; i++) kept[i] = malloc({bytes});
             return 0;
         }}"
    )
}

#[test]
fn sizes_of_objects() {
    let options = Options::default();
    assert_eq!(closed(&allocating("1u << 24", 1), &options), Finding::Holds);
    let past = missing(closed(&allocating("(1u << 24) + 1", 1), &options));
    assert_eq!(past.as_deref(), Some("an object of more than 16777216 bytes"));
}

#[test]
fn memory_of_a_thread() {
    let options = Options::default();
    // A third of what a thread has for the heap, and a little less.
    assert_eq!(closed(&allocating("8000000", 3), &options), Finding::Holds);
    let past = missing(closed(&allocating("8000000", 4), &options));
    assert_eq!(past.as_deref(), Some("a thread with more objects than there is room for"));
}

/// Stores that another thread looks at, so that they stay in the buffer, behind that of the thread's identity.
fn storing(stores: usize, order: &str) -> String {
    format!(
        "#include <pthread.h>
         #include <stdatomic.h>
         atomic_int x;
         static void *reader(void *unused) {{
             atomic_load_explicit(&x, memory_order_relaxed);
             return unused;
         }}
         int main(void) {{
             pthread_t thread;
             pthread_create(&thread, 0, reader, 0);
             for (int i = 0; i < {stores}; i++) atomic_store_explicit(&x, i & 1, {order});
             pthread_join(thread, 0);
             return 0;
         }}"
    )
}

#[test]
fn stores_under_way() {
    for model in [Buffering::Tso, Buffering::Pso] {
        let options = Options { buffering: model, buffer: 8, ..Options::default() };
        assert_eq!(closed(&storing(7, "memory_order_relaxed"), &options), Finding::Holds);
        let past = missing(closed(&storing(8, "memory_order_relaxed"), &options));
        assert_eq!(past.as_deref(), Some("more than 8 stores of a thread under way"), "{model:?}");
        // A store that loads wait for need not be followed by others before it is done.
        assert_eq!(closed(&storing(40, "memory_order_seq_cst"), &options), Finding::Holds, "{model:?}");
    }
}

#[test]
fn depth_of_calls() {
    let recursive = |depth: usize| {
        format!(
            "static int down(int n) {{ return n ? down(n - 1) + 1 : 0; }}
             int main(void) {{ return down({depth}) != {depth}; }}"
        )
    };
    // Besides `main` and the innermost call.
    assert_eq!(closed(&recursive(254), &Options::default()), Finding::Holds);
    let past = missing(closed(&recursive(255), &Options::default()));
    assert_eq!(past.as_deref(), Some("more than 256 calls inside of each other"));
}
