//! Executions that never end: which of them count as fair, programs that only run for ever, and searches that would.

mod support;

use fencepost_explore::{Buffering, Exploration, Options, Reductions, Search, Termination, explore};
use fencepost_harness::engine::Finding;
use fencepost_harness::question::Question;
use fencepost_harness::result::Wrong;
use fencepost_harness::verdict::Reason;
use std::time::Instant;
use support::{program, replays};

/// Explores a program with and without reductions and in both orders; all must agree. Traces are replayed.
fn run(text: &str, model: Buffering, termination: Termination) -> Exploration {
    let harness = program(text);
    let main = harness.main.expect("there is a main");
    let mut kept: Option<Exploration> = None;
    for reductions in
        [Reductions::default(), Reductions::NONE, Reductions { rename: true, ..Reductions::default() }]
    {
        for search in [Search::Depth, Search::Breadth] {
            let options = Options { buffering: model, termination, reductions, search, ..Options::default() };
            let found = explore(&harness, &Question::Main(main), None, &options, None, &|_| {});
            let violated = match &found.finding {
                Finding::Violated { trace, .. } => Some(trace),
                _ => None,
            };
            for trace in violated.into_iter().chain(&found.witness) {
                replays(&harness, trace, &format!("{model:?}").to_lowercase());
            }
            if let Some(before) = &kept {
                let same = std::mem::discriminant(&before.finding) == std::mem::discriminant(&found.finding);
                assert!(same, "{:?}\n{reductions:?}\n{:?}", before.finding, found.finding);
            }
            kept = kept.or(Some(found));
        }
    }
    kept.expect("it ran")
}

fn endless(found: &Exploration) -> bool {
    match &found.finding {
        Finding::Violated { wrong: Wrong::Endless { .. }, .. } => true,
        Finding::Holds => false,
        other => panic!("{other:?}"),
    }
}

/// Two threads: one after the other is started by `main`.
fn two(globals: &str, first: &str, second: &str) -> String {
    format!(
        "#include <fencepost.h>
         #include <pthread.h>
         {globals}
         static void *one(void *unused) {{ {first} return unused; }}
         static void *two(void *unused) {{ {second} return unused; }}
         int main(void) {{
             pthread_t a, b;
             pthread_create(&a, 0, one, 0);
             pthread_create(&b, 0, two, 0);
             pthread_join(a, 0);
             pthread_join(b, 0);
             return 0;
         }}"
    )
}

/// A store to `x` waits in the buffer while stores to `y` reach memory again and again. On pso each address has a queue,
/// and none is left out.
#[test]
fn no_store_waits_for_ever() {
    let text = two(
        "int x, y, done;",
        "x = 1; while (!done) { y = 1; fp_atomic { y = 0; } }",
        "while (!x) ; if (y) done = 1; done = 1;",
    );
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        assert!(!endless(&run(&text, model, Termination::Fair)), "{model:?}");
        assert!(endless(&run(&text, model, Termination::Unfair)), "{model:?}");
    }
}

const POLL: &str = "int f = 0; while (!f) { pthread_mutex_lock(&m); f = flag; pthread_mutex_unlock(&m); }";

/// Who polls under a mutex lets others have it only if it is fair.
#[test]
fn polling_under_a_mutex() {
    let text = two(
        "pthread_mutex_t m; int flag;",
        POLL,
        "pthread_mutex_lock(&m); flag = 1; pthread_mutex_unlock(&m);",
    );
    for model in [Buffering::Sc, Buffering::Tso] {
        assert!(endless(&run(&text, model, Termination::Fair)), "{model:?}");
        assert!(!endless(&run(&text, model, Termination::Strong)), "{model:?}");
        assert!(endless(&run(&text, model, Termination::Unfair)), "{model:?}");
    }
}

/// A thread whose attempts at a lock fail again and again goes on, however fair that is.
#[test]
fn attempts_may_fail_for_ever() {
    let text = two(
        "int held, flag;",
        "int f = 0; while (!f) { while (!cas(&held, 0, 1)) ; f = flag; held = 0; }",
        "while (!cas(&held, 0, 1)) ; flag = 1; held = 0;",
    );
    assert!(endless(&run(&text, Buffering::Sc, Termination::Strong)));
}

/// A set of states without a step of a thread that could go on in some of them may hold a smaller one in which it
/// cannot: here that in which the door is never opened.
#[test]
fn strong_fairness_looks_inside() {
    let text = |round: &str| {
        two(
            "pthread_mutex_t m; int x, done;",
            &format!("pthread_mutex_lock(&m); while (!done) {{ {round} }}"),
            "pthread_mutex_lock(&m); done = 1; pthread_mutex_unlock(&m);",
        )
    };
    let opens = text("pthread_mutex_unlock(&m); pthread_mutex_lock(&m); x = 1 - x;");
    assert!(endless(&run(&opens, Buffering::Sc, Termination::Fair)));
    assert!(!endless(&run(&opens, Buffering::Sc, Termination::Strong)));
    let may_open =
        text("if (fp_any(0, 1)) { pthread_mutex_unlock(&m); pthread_mutex_lock(&m); } else x = 1 - x;");
    assert!(endless(&run(&may_open, Buffering::Sc, Termination::Strong)));
}

/// A thread that could go on to the end of the program, or to an assumption that rules the execution out, is left out by who
/// runs for ever without it.
#[test]
fn threads_that_end_all_are_not_left_out() {
    for last in ["assume(x == 2);", "exit(0);", "if (x) exit(0); assume(0);"] {
        let text = format!("#include <stdlib.h>\n{}", two("int x;", "for (;;) { x = 1; x = 0; }", last));
        for fairness in [Termination::Fair, Termination::Strong] {
            let found = run(&text, Buffering::Sc, fairness);
            assert!(!matches!(found.finding, Finding::Violated { .. }), "{last}: {:?}", found.finding);
        }
        assert!(endless(&run(&text, Buffering::Sc, Termination::Unfair)), "{last}");
    }
    // Where it may wait instead, nobody has to let it go on.
    let text = two(
        "pthread_mutex_t m; int x;",
        "pthread_mutex_lock(&m); for (;;) { x = 1; x = 0; }",
        "if (x < 2) pthread_mutex_lock(&m);",
    );
    assert!(endless(&run(&text, Buffering::Sc, Termination::Fair)));
}

const SERVER: &str = "
    #include <assert.h>
    #include <pthread.h>
    #include <fencepost.h>
    int x;
    static void *serve(void *unused) { for (;;) { fp_atomic { x = 1; } fp_atomic { x = 0; } } return unused; }
    int main(void) {
        pthread_t thread;
        pthread_create(&thread, 0, serve, 0);
        for (;;) assert(x CHECK);
    }";

/// A program that never ends is checked like any other.
#[test]
fn programs_that_only_run_for_ever() {
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        let found = run(&SERVER.replace("CHECK", "<= 1"), model, Termination::Ignore);
        assert_eq!(found.finding, Finding::Holds, "{model:?}");
        assert!(found.statistics.endless && found.statistics.complete == 0);
        assert!(found.witness.is_some());
        let wrong = run(&SERVER.replace("CHECK", "== 0"), model, Termination::Ignore);
        assert!(matches!(wrong.finding, Finding::Violated { wrong: Wrong::Fault, .. }), "{model:?}");
    }
}

/// A program that only waits for ever is told to be one; where it is what the user assumes that no execution meets,
/// nothing was checked.
#[test]
fn what_only_waits() {
    let waits = |body: &str| run(&two("int x;", body, body), Buffering::Sc, Termination::Ignore);
    let found = waits("while (!x) ;");
    assert_eq!(found.finding, Finding::Holds);
    assert!(found.statistics.endless && found.statistics.complete == 0);
    let found = waits("assume(x);");
    assert!(matches!(found.finding, Finding::Inconclusive(Reason::Vacuous(_))), "{:?}", found.finding);
}

/// Choices in a loop that nobody notices open more ways than can be tried; the search ends when it is told to.
#[test]
fn choices_in_a_loop_are_interrupted() {
    let counting =
        "int sum = 0; for (int i = 0; i < 60; i++) sum = 2 * sum + fp_any(0, 1); if (sum == 7) x = 1;";
    for body in [format!("fp_atomic {{ {counting} }}"), counting.replace("2 * sum", "(sum << 33)")] {
        let harness = program(&two("int x;", &body, "x = 1;"));
        let main = harness.main.expect("there is a main");
        for reductions in [Reductions::default(), Reductions::NONE] {
            let mut options = Options { reductions, ..Options::default() };
            options.budget.deadline = Some(Instant::now());
            let found = explore(&harness, &Question::Main(main), None, &options, None, &|_| {});
            assert_eq!(found.finding, Finding::Inconclusive(Reason::Timeout));
            options.budget.deadline = None;
            options.budget.cancelled = std::sync::Arc::new(true.into());
            let found = explore(&harness, &Question::Main(main), None, &options, None, &|_| {});
            assert_eq!(found.finding, Finding::Inconclusive(Reason::Interrupted));
        }
    }
}

/// What is chosen in a loop and forgotten again makes few states.
#[test]
fn choices_in_a_loop_are_states() {
    let body = "int last = 0; for (int i = 0; i < 60; i++) last = fp_any(0, 1); x = last;";
    let found = run(&two("int x;", body, "x = 1;"), Buffering::Sc, Termination::Ignore);
    assert_eq!(found.finding, Finding::Holds);
}

/// `memory` is about the process, `state_memory` about states.
#[test]
fn memory_that_is_measured() {
    let harness = program(&two("int x;", "x++;", "x++;"));
    let main = harness.main.expect("there is a main");
    let mut options = Options::default();
    options.budget.memory = Some(1 << 40);
    let verdict =
        |options: &Options| explore(&harness, &Question::Main(main), None, options, None, &|_| {}).finding;
    assert_eq!(verdict(&options), Finding::Holds);
    options.budget.memory = Some(1);
    assert_eq!(verdict(&options), Finding::Inconclusive(Reason::Memory));
    options.budget.memory = None;
    options.budget.state_memory = Some(1 << 30);
    assert_eq!(verdict(&options), Finding::Holds);
    options.budget.state_memory = Some(1);
    assert_eq!(verdict(&options), Finding::Inconclusive(Reason::Memory));
}
