//! Closed programs: mutual exclusion with and without fences, waiting, getting stuck, never ending, and
//! memory that is freed.

mod support;

use fencepost_explore::{Buffering, Exploration, Options, Reductions, Search, Termination, explore};
use fencepost_harness::budget::Budget;
use fencepost_harness::engine::Finding;
use fencepost_harness::question::Question;
use fencepost_harness::result::Wrong;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::fault::Fault;
use support::{program, replays};

/// Explores a program with and without reductions and in both orders; all must agree. Traces are replayed.
fn run(text: &str, options: &Options) -> Exploration {
    let harness = program(text);
    let main = harness.main.expect("there is a main");
    let mut kept: Option<Exploration> = None;
    let renamed = Reductions { rename: true, ..options.reductions };
    for reductions in [options.reductions, renamed, Reductions::NONE] {
        for search in [Search::Depth, Search::Breadth] {
            let options = Options { reductions, search, ..options.clone() };
            let found = explore(&harness, &Question::Main(main), None, &options, None, &|_| {});
            let model = format!("{:?}", options.buffering).to_lowercase();
            let violated = match &found.finding {
                Finding::Violated { trace, .. } => Some(trace),
                _ => None,
            };
            for trace in violated.into_iter().chain(&found.witness) {
                replays(&harness, trace, &model);
            }
            if let Some(before) = &kept {
                let same = std::mem::discriminant(&before.finding) == std::mem::discriminant(&found.finding);
                assert!(same, "{:?}\nwithout reductions:\n{:?}", before.finding, found.finding);
                assert_eq!(before.statistics.stuck > 0, found.statistics.stuck > 0, "{options:?}");
            }
            kept = kept.or(Some(found));
        }
    }
    kept.expect("it ran")
}

fn on(model: Buffering) -> Options {
    Options { buffering: model, ..Options::default() }
}

fn peterson(fence: &str) -> String {
    format!(
        "#include <pthread.h>
         #include <assert.h>
         #include <fencepost.h>
         int flag[2], turn, inside;
         void *thread(void *argument) {{
             int me = argument != 0;
             flag[me] = 1;
             {fence}
             turn = 1 - me;
             fence(\"{}\");
             while (flag[1 - me] && turn == 1 - me) ;
             int was = inside;
             assert(was == 0);
             inside = 1;
             inside = 0;
             fence(\"store-store\");
             flag[me] = 0;
             return 0;
         }}
         int main(void) {{
             pthread_t a, b;
             pthread_create(&a, 0, thread, (void *)0);
             pthread_create(&b, 0, thread, (void *)1);
             pthread_join(a, 0);
             pthread_join(b, 0);
             return 0;
         }}",
        if fence.is_empty() { "load-load" } else { "store-load" }
    )
}

fn fault(found: &Exploration) -> Option<Fault> {
    match &found.finding {
        Finding::Violated { wrong: Wrong::Fault, trace } => trace.fault().map(|fault| fault.1.clone()),
        _ => None,
    }
}

#[test]
fn peterson_needs_a_fence() {
    let fenced = peterson("fence(\"store-store\");");
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        assert_eq!(run(&fenced, &on(model)).finding, Finding::Holds, "{model:?}");
        let bare = run(&peterson(""), &on(model));
        let failed = matches!(fault(&bare), Some(Fault::Assertion(_)));
        assert_eq!(failed, model != Buffering::Sc, "{model:?}: {:?}", bare.finding);
    }
}

#[test]
fn peterson_ends_if_scheduled_fairly() {
    let text = peterson("fence(\"store-store\");");
    for model in [Buffering::Sc, Buffering::Tso] {
        let fair = run(&text, &Options { termination: Termination::Fair, ..on(model) });
        assert_eq!(fair.finding, Finding::Holds);
        let unfair = run(&text, &Options { termination: Termination::Unfair, ..on(model) });
        assert!(matches!(&unfair.finding, Finding::Violated { wrong: Wrong::Endless { .. }, .. }));
    }
}

const DEADLOCK: &str = "
    #include <pthread.h>
    pthread_mutex_t a, b;
    void *first(void *x) {
        pthread_mutex_lock(&a); pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
        return 0;
    }
    void *second(void *x) {
        pthread_mutex_lock(&b); pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
        return 0;
    }
    int main(void) {
        pthread_t s, t;
        pthread_create(&s, 0, first, 0);
        pthread_create(&t, 0, second, 0);
        pthread_join(s, 0); pthread_join(t, 0);
        return 0;
    }";

#[test]
fn locks_taken_crosswise_get_stuck() {
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        let found = run(DEADLOCK, &on(model));
        assert_eq!(found.finding, Finding::Holds);
        assert!(found.statistics.stuck > 0 && found.statistics.complete > 0);
        let found = run(DEADLOCK, &Options { stuck: true, ..on(model) });
        let Finding::Violated { wrong: Wrong::Stuck(threads), .. } = found.finding else {
            panic!("{:?}", found.finding)
        };
        assert_eq!(threads, [0, 1, 2]);
    }
}

#[test]
fn locks_taken_in_order_do_not() {
    let text = DEADLOCK.replace(
        "pthread_mutex_lock(&b); pthread_mutex_lock(&a);",
        "pthread_mutex_lock(&a); pthread_mutex_lock(&b);",
    );
    let found = run(&text, &Options { stuck: true, ..on(Buffering::Sc) });
    assert_eq!((found.finding, found.statistics.stuck), (Finding::Holds, 0));
}

/// Spin locks, written out: threads that go round for ever without changing anything are stuck as well.
#[test]
fn spinning_for_ever_is_stuck() {
    let text = DEADLOCK
        .replace("#include <pthread.h>", "#include <pthread.h>\n#include <fencepost.h>")
        .replace("pthread_mutex_t a, b;", "fp_lock_t a, b;")
        .replace("pthread_mutex_lock", "fp_lock")
        .replace("pthread_mutex_unlock", "fp_unlock");
    let found = run(&text, &Options { stuck: true, ..on(Buffering::Sc) });
    assert!(matches!(found.finding, Finding::Violated { wrong: Wrong::Stuck(_), .. }));
    let loops = "
        #include <pthread.h>
        int flag, other;
        void *waits(void *x) { while (!flag || !other) ; return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, waits, 0);
            SET
            pthread_join(t, 0);
            return 0;
        }";
    let found = run(&loops.replace("SET", "flag = 1;"), &Options { stuck: true, ..on(Buffering::Tso) });
    assert!(matches!(found.finding, Finding::Violated { wrong: Wrong::Stuck(_), .. }));
    let found =
        run(&loops.replace("SET", "flag = 1; other = 1;"), &Options { stuck: true, ..on(Buffering::Tso) });
    assert_eq!((found.finding, found.statistics.stuck), (Finding::Holds, 0));
}

/// Two threads that give way to each other for ever change memory all the time: endless, not stuck.
#[test]
fn giving_way_never_ends() {
    let text = "
        #include <pthread.h>
        int want[2];
        void *polite(void *argument) {
            int me = argument != 0;
            for (;;) {
                want[me] = 1;
                if (!want[1 - me]) break;
                want[me] = 0;
            }
            want[me] = 0;
            return 0;
        }
        int main(void) {
            pthread_t s, t;
            pthread_create(&s, 0, polite, (void *)0);
            pthread_create(&t, 0, polite, (void *)1);
            pthread_join(s, 0); pthread_join(t, 0);
            return 0;
        }";
    let found = run(text, &Options { termination: Termination::Fair, stuck: true, ..on(Buffering::Sc) });
    let Finding::Violated { wrong: Wrong::Endless { stem, steps, .. }, .. } = found.finding else {
        panic!("{:?}", found.finding)
    };
    assert!(stem < steps);
    assert_eq!(run(text, &Options { stuck: true, ..on(Buffering::Sc) }).finding, Finding::Holds);
}

/// A loop that touches nothing is no reason for the engine to hang.
#[test]
fn a_thread_that_runs_for_ever_alone() {
    let text = "
        #include <pthread.h>
        #include <assert.h>
        int x;
        void *idle(void *argument) { for (;;) ; return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, idle, 0);
            x = 1;
            assert(x == 2);
            return 0;
        }";
    assert!(matches!(fault(&run(text, &on(Buffering::Sc))), Some(Fault::Assertion(_))));
    let text = text.replace("assert(x == 2);", "");
    let found = run(&text, &on(Buffering::Sc));
    assert!(matches!(found.finding, Finding::Holds), "{:?}", found.finding);
    assert!(found.statistics.stuck > 0 && found.statistics.complete == 0);
    assert!(found.witness.is_some());
}

/// A counter that two threads increase without care goes wrong with one preemption, and not with none.
#[test]
fn preemptions_are_bounded() {
    let text = "
        #include <pthread.h>
        #include <assert.h>
        int count;
        void *increase(void *argument) { int was = count; count = was + 1; return 0; }
        int main(void) {
            pthread_t s, t;
            pthread_create(&s, 0, increase, 0);
            pthread_create(&t, 0, increase, 0);
            pthread_join(s, 0); pthread_join(t, 0);
            assert(count == 2);
            return 0;
        }";
    let bound = |preemptions| Options { preemptions, ..on(Buffering::Sc) };
    assert_eq!(run(text, &bound(Some(0))).finding, Finding::Holds);
    assert!(fault(&run(text, &bound(Some(1)))).is_some());
    assert!(fault(&run(text, &bound(None))).is_some());
}

const USER: &str = "
    #include <pthread.h>
    #include <stdlib.h>
    int *shared;
    void *user(void *argument) { ACCESS return 0; }
    int main(void) {
        pthread_t t;
        shared = malloc(sizeof *shared);
        *shared = 0;
        pthread_create(&t, 0, user, 0);
        free(shared);
        pthread_join(t, 0);
        return 0;
    }";

#[test]
fn freed_memory() {
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        let read = run(&USER.replace("ACCESS", "int x = *shared;"), &on(model));
        assert_eq!(fault(&read), Some(Fault::UseAfterFree), "{model:?}");
        let write = run(&USER.replace("ACCESS", "*shared = 1;"), &on(model));
        assert_eq!(fault(&write), Some(Fault::UseAfterFree), "{model:?}");
        let twice = run(&USER.replace("ACCESS", "free(shared);"), &on(model));
        assert_eq!(fault(&twice), Some(Fault::DoubleFree), "{model:?}");
    }
    let leaks = Options { leaks: true, ..on(Buffering::Sc) };
    let text = "
        #include <stdlib.h>
        int main(void) { int *p = malloc(4); *p = 1; FREE return 0; }";
    let found = run(&text.replace("FREE", ""), &leaks);
    assert!(matches!(found.finding, Finding::Violated { wrong: Wrong::Leak(_), .. }));
    assert_eq!(run(&text.replace("FREE", "free(p);"), &leaks).finding, Finding::Holds);
    // What a global leads to is not lost.
    let kept = "
        #include <stdlib.h>
        struct node { struct node *next; } *list;
        int main(void) {
            for (int i = 0; i < 2; i++) { struct node *n = malloc(sizeof *n); n->next = list; list = n; }
            DROP return 0;
        }";
    assert_eq!(run(&kept.replace("DROP", ""), &leaks).finding, Finding::Holds);
    let found = run(&kept.replace("DROP", "list = list->next;"), &leaks);
    assert!(matches!(found.finding, Finding::Violated { wrong: Wrong::Leak(lost), .. } if lost.len() == 1));
}

/// Ghost state is outside of the memory model: it does not wait for stores that are under way, and orders none.
#[test]
fn ghosts_wait_for_nothing() {
    let text = "
        #include <pthread.h>
        #include <assert.h>
        #include <fencepost.h>
        int x, told;
        void *tells(void *argument) { x = 1; BLOCK { told = 1; } return argument; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, tells, 0);
            int seen = 0;
            BLOCK { seen = told; }
            if (seen) assert(x == 1);
            pthread_join(t, 0);
            return 0;
        }";
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        let ghost = run(&text.replace("BLOCK", "fp_ghost"), &on(model));
        assert_eq!(fault(&ghost).is_some(), model != Buffering::Sc, "{model:?}");
        // An atomic block is a part of the program: on tso it waits.
        let atomic = run(&text.replace("BLOCK", "fp_atomic"), &on(model));
        assert_eq!(fault(&atomic).is_some(), model == Buffering::Pso, "{model:?}");
    }
    // What ghosts of one thread do, they do in order, and after the loads before them.
    let text = "
        #include <pthread.h>
        #include <assert.h>
        #include <fencepost.h>
        int x, a, b, got;
        void *tells(void *argument) {
            int r = x;
            fp_ghost { a = 1; got = r; }
            fp_ghost { b = 1; }
            return argument;
        }
        int main(void) {
            pthread_t t;
            int seen_a, seen_b, seen_r;
            pthread_create(&t, 0, tells, 0);
            fp_ghost { seen_b = b; }
            fp_ghost { seen_a = a; seen_r = got; }
            x = 1;
            assert(seen_a || !seen_b);
            assert(!seen_a || !seen_r);
            return 0;
        }";
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        assert_eq!(run(text, &on(model)).finding, Finding::Holds, "{model:?}");
    }
}

/// The ABA problem: the same address, another object.
#[test]
fn reused_memory() {
    let text = "
        #include <pthread.h>
        #include <assert.h>
        #include <stdlib.h>
        #include <fencepost.h>
        int *top;
        void *changes(void *argument) {
            int *old = top;
            int *mine = malloc(sizeof *mine);
            *mine = 1;
            top = mine;
            free(old);
            int *next = malloc(sizeof *next);
            *next = 2;
            top = next;
            return 0;
        }
        int main(void) {
            pthread_t t;
            top = malloc(sizeof *top);
            *top = 0;
            int *before = top;
            pthread_create(&t, 0, changes, 0);
            int *now = top;
            pthread_join(t, 0);
            now = top;
            assert(now != before);
            return 0;
        }";
    assert_eq!(run(text, &on(Buffering::Sc)).finding, Finding::Holds);
    let found = run(text, &Options { reuse: true, ..on(Buffering::Sc) });
    assert!(matches!(fault(&found), Some(Fault::Assertion(_))), "{:?}", found.finding);
}

/// A loop that makes an object each time it comes around has finitely many states.
#[test]
fn garbage_is_dropped() {
    let text = "
        #include <pthread.h>
        #include <stdlib.h>
        #include <fencepost.h>
        int *slot;
        void *puts(void *argument) {
            for (;;) {
                int *mine = malloc(sizeof *mine);
                *mine = 1;
                if (cas(&slot, 0, mine)) return 0;
            }
        }
        int main(void) {
            pthread_t s, t;
            pthread_create(&s, 0, puts, 0);
            pthread_create(&t, 0, puts, 0);
            while (slot == 0) ;
            slot = 0;
            pthread_join(s, 0); pthread_join(t, 0);
            return 0;
        }";
    let harness = program(text);
    let main = harness.main.expect("there is a main");
    let found = explore(&harness, &Question::Main(main), None, &on(Buffering::Sc), None, &|_| {});
    assert_eq!(found.finding, Finding::Holds);
    let reductions = Reductions { collect: false, ..Reductions::default() };
    let budget = Budget { states: Some(found.statistics.states * 4), ..Budget::default() };
    let options = Options { reductions, budget, ..on(Buffering::Sc) };
    let found = explore(&harness, &Question::Main(main), None, &options, None, &|_| {});
    assert!(matches!(found.finding, Finding::Inconclusive(_)), "{:?}", found.statistics);
}

/// Two threads put objects into two cells; who made which is forgotten, unless the program looks at addresses.
fn makers(look: &str) -> String {
    "
        #include <pthread.h>
        #include <assert.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <fencepost.h>
        int *cells[2];
        int low;
        void *puts(void *argument) {
            int *mine = malloc(sizeof *mine);
            *mine = 7;
            if (!cas(&cells[0], 0, mine)) cells[1] = mine;
            return 0;
        }
        int main(void) {
            pthread_t s, t;
            pthread_create(&s, 0, puts, 0);
            pthread_create(&t, 0, puts, 0);
            pthread_join(s, 0); pthread_join(t, 0);
            LOOK
            return 0;
        }"
    .replace("LOOK", look)
}

/// Objects are renamed where no address is looked at, and only there.
#[test]
fn addresses_are_renamed() {
    let states = |text: &str, rename: bool| {
        let harness = program(text);
        let main = harness.main.expect("there is a main");
        let options =
            Options { reductions: Reductions { rename, ..Reductions::default() }, ..on(Buffering::Sc) };
        explore(&harness, &Question::Main(main), None, &options, None, &|_| {}).statistics.states
    };
    let tagged = "int *p = (int *)((uintptr_t)cells[0] | 1);
        assert(((uintptr_t)p & 7) == 1 && *(int *)((uintptr_t)p & ~(uintptr_t)7) == 7);
        assert(cells[0] != cells[1] && cells[0] + 1 > cells[0] && cells[0] + 1 - cells[0] == 1);";
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        for alike in ["", "assert(*cells[0] == 7);", tagged] {
            assert_eq!(run(&makers(alike), &on(model)).finding, Finding::Holds, "{alike}");
        }
        for (last, least) in [("<", ">"), (">", "<")] {
            // Either may have come first, and for each order of their addresses there is an execution.
            for look in [
                format!("assert(!((uintptr_t)cells[0] {last} (uintptr_t)cells[1]));"),
                format!("assert((uintptr_t)cells[0] - (uintptr_t)cells[1] {least} INT64_MAX);"),
                format!("assert(!(((uintptr_t)cells[0] >> 4) {last} ((uintptr_t)cells[1] >> 4)));"),
                format!("assert(!((uintptr_t)cells[0] * 3 {last} (uintptr_t)cells[1] * 3));"),
                format!(
                    "low = (int)(uintptr_t)cells[0] & 0xfffff000;
                         assert(!(low {last} ((int)(uintptr_t)cells[1] & (int)0xfffff000)));"
                ),
            ] {
                let found = run(&makers(&look), &on(model));
                assert!(matches!(fault(&found), Some(Fault::Assertion(_))), "{look}: {:?}", found.finding);
            }
        }
    }
    let (renamed, fixed) = (states(&makers(tagged), true), states(&makers(tagged), false));
    assert!(renamed < fixed, "{renamed} of {fixed}");
    let ordered = makers("assert(cells[0] < cells[1] || cells[0] > cells[1]);");
    assert_eq!(states(&ordered, true), states(&ordered, false));
}

/// Pointers that lie across words or are copied byte by byte keep their objects, and let others reach them.
#[test]
fn pointers_in_pieces() {
    let text = "
        #include <pthread.h>
        #include <assert.h>
        #include <stdlib.h>
        struct __attribute__((packed)) odd { char pad[5]; int *pointer; } odd;
        union pieces { int *pointer; unsigned char bytes[8]; } source, target;
        int ready;
        void *reads(void *argument) {
            if (ready) {
                assert(*odd.pointer == 1);
                assert(*target.pointer == 2);
            }
            return 0;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, reads, 0);
            int *p = malloc(sizeof *p);
            *p = 1;
            odd.pointer = p;
            p = 0;
            source.pointer = malloc(sizeof *p);
            *source.pointer = 2;
            for (int i = 0; i < 8; i++) target.bytes[i] = source.bytes[i];
            source.pointer = malloc(sizeof *p);
            *source.pointer = 3;
            ready = 1;
            pthread_join(t, 0);
            return 0;
        }";
    for model in [Buffering::Sc, Buffering::Tso] {
        assert_eq!(run(text, &on(model)).finding, Finding::Holds, "{model:?}");
    }
    let late = run(&text.replace("ready = 1;", "ready = 1; *target.pointer = 4;"), &on(Buffering::Tso));
    assert!(matches!(fault(&late), Some(Fault::Assertion(_))), "{:?}", late.finding);
}

/// What a thread does to an object after it gave it away, others can come before.
#[test]
fn objects_given_away() {
    let text = "
        #include <pthread.h>
        #include <assert.h>
        #include <stdlib.h>
        int *shared;
        void *reads(void *argument) {
            int *mine = shared;
            if (mine) assert(*mine == LAST);
            return 0;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, reads, 0);
            int *p = malloc(sizeof *p);
            *p = 1;
            shared = p;
            *p = 2;
            pthread_join(t, 0);
            return 0;
        }";
    for model in [Buffering::Sc, Buffering::Tso, Buffering::Pso] {
        for last in ["1", "2"] {
            let found = run(&text.replace("LAST", last), &on(model));
            assert!(fault(&found).is_some(), "{model:?} {last}: {:?}", found.finding);
        }
        let found = run(&text.replace("== LAST", "> 0"), &on(model));
        assert_eq!(fault(&found).is_some(), model == Buffering::Pso, "{model:?}: {:?}", found.finding);
    }
}

#[test]
fn limits_are_met() {
    let harness = program(&peterson(""));
    let main = harness.main.expect("there is a main");
    let limited = |budget: Budget| {
        let reductions = Reductions::NONE;
        let options = Options { budget, reductions, ..on(Buffering::Sc) };
        explore(&harness, &Question::Main(main), None, &options, None, &|_| {}).finding
    };
    let states = limited(Budget { states: Some(10), ..Budget::default() });
    assert_eq!(states, Finding::Inconclusive(Reason::States { limit: 10 }));
    let cancelled = Budget::default();
    cancelled.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    let late = Budget { deadline: Some(std::time::Instant::now()), ..Budget::default() };
    let small = Budget { memory: Some(1000), ..Budget::default() };
    for (budget, reason) in
        [(cancelled, Reason::Interrupted), (late, Reason::Timeout), (small, Reason::Memory)]
    {
        assert_eq!(limited(budget), Finding::Inconclusive(reason));
    }
    let stores = "
        #include <pthread.h>
        int x;
        void *writes(void *argument) { for (;;) x = 1; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, writes, 0); while (!x) ; return 0; }";
    let found = run(stores, &on(Buffering::Tso));
    assert!(matches!(found.finding, Finding::Inconclusive(Reason::Unsupported(_))), "{:?}", found.finding);
}

/// Recursion needs no bound, and each call under way keeps its own registers.
#[test]
fn recursion() {
    let text = "
        #include <pthread.h>
        #include <assert.h>
        int total;
        static int sum(int n) {
            if (n == 0) return total;
            int below = sum(n - 1);
            total = total + n;
            return below + n;
        }
        void *adds(void *argument) { total = total + 100; return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, adds, 0);
            int found = sum(4);
            pthread_join(t, 0);
            assert(found == 10 || found == 110);
            assert(LAST);
            return 0;
        }";
    // Either the other thread's addition is lost, or some consecutive ones of the recursion: never all but 2.
    let all = "total == 10 || total >= 100 && total <= 110 && total != 102";
    assert_eq!(run(&text.replace("LAST", all), &on(Buffering::Sc)).finding, Finding::Holds);
    for value in [10, 100, 101, 103, 104, 105, 106, 107, 108, 109, 110] {
        let found = run(&text.replace("LAST", &format!("total != {value}")), &on(Buffering::Sc));
        assert!(matches!(fault(&found), Some(Fault::Assertion(_))), "{value}: {:?}", found.finding);
    }
    let endless = "static int f(int n) { return f(n + 1) + 1; } int main(void) { return f(0); }";
    let found = run(endless, &on(Buffering::Sc));
    assert!(matches!(found.finding, Finding::Inconclusive(Reason::Unsupported(_))), "{:?}", found.finding);
}

/// Threads that end with what the user's assumptions rule out, or with the program, do not wait for ever; those that wait in one
/// of their ways do.
#[test]
fn what_ends_does_not_wait() {
    let text = |other: &str, first: &str| {
        format!(
            "#include <fencepost.h>
             #include <pthread.h>
             #include <stdlib.h>
             pthread_mutex_t m; int n;
             void *other(void *unused) {{ {other} return 0; }}
             int main(void) {{
                 pthread_t t;
                 pthread_mutex_lock(&m);
                 pthread_create(&t, 0, other, 0);
                 {first}
                 pthread_join(t, 0);
                 return 0;
             }}"
        )
    };
    let run =
        |other: &str, first: &str| run(&text(other, first), &Options { stuck: true, ..on(Buffering::Sc) });
    let vacuous = |found: &Exploration| {
        assert!(matches!(found.finding, Finding::Inconclusive(Reason::Vacuous(_))), "{:?}", found.finding);
        assert_eq!(found.statistics.stuck, 0);
    };
    vacuous(&run("assume(n == 1);", ""));
    vacuous(&run("n = 2; assume(n == 1); n = 3;", ""));
    vacuous(&run("if (fp_any(0, 1)) assume(0); else assume(n == 1);", ""));
    // It may hold later, and then all is well.
    let found = run("assume(n == 1);", "n = 1;");
    assert_eq!((&found.finding, found.statistics.stuck), (&Finding::Holds, 0));
    for body in
        ["exit(0);", "n = 1; exit(1);", "if (fp_any(0, 1)) assume(0); exit(0);", "if (n == 0) exit(0);"]
    {
        let found = run(body, "");
        assert_eq!((&found.finding, found.statistics.stuck), (&Finding::Holds, 0), "{body}");
        assert!(found.statistics.complete > 0 && !found.statistics.endless, "{body}");
    }
    // Main ends the program, whatever others wait for or assume.
    for body in ["pthread_mutex_lock(&m);", "assume(0);", "while (!n) ;"] {
        let found = run(body, "exit(0);");
        assert_eq!((&found.finding, found.statistics.stuck), (&Finding::Holds, 0), "{body}");
    }
    for body in [
        "pthread_mutex_lock(&m);",
        "while (!n) ;",
        "if (fp_any(0, 1)) assume(0); pthread_mutex_lock(&m);",
        "if (fp_any(0, 1)) exit(0); pthread_mutex_lock(&m);",
        "while (!n) if (fp_any(0, 1)) assume(0);",
    ] {
        let found = run(body, "");
        let stuck = matches!(found.finding, Finding::Violated { wrong: Wrong::Stuck(_), .. });
        assert!(stuck, "{body}: {:?}", found.finding);
    }
}
