//! What a verdict of *holds* leaves open is said, of the programs that it concerns and of no others; and it is true:
//! each thing that is not explored hides an error here.

mod common;

use common::{fencepost, session};
use fencepost_driver::check::{Decider, Terms, check};
use fencepost_explore as explore;
use fencepost_harness::result::{CheckResult, Verdict};
use fencepost_harness::verdict::{Kind, Reason};

fn checked(text: &str, model: &str, terms: &Terms) -> CheckResult {
    let session = session(text);
    let model = fencepost_models::builtin(model).expect("it ships");
    check(&session, &session.questions()[0], &model, terms, &|_| {})
}

/// What is said of a program that holds, by the beginning of each sentence.
fn open(text: &str, terms: &Terms) -> Vec<String> {
    let result = checked(text, "sc", terms);
    assert_eq!(result.verdict.kind(), Kind::Holds, "{text}\n{:?}", result.verdict);
    let words = |caveat: &String| caveat.split(' ').take(3).collect::<Vec<_>>().join(" ");
    let mut open: Vec<String> = result.scope.caveats.iter().map(words).collect();
    open.extend(result.scope.race.map(|race| format!("race on {}", race.place)));
    open
}

fn violated(text: &str, terms: &Terms) {
    let result = checked(text, "sc", terms);
    assert_eq!(result.verdict.kind(), Kind::Violated, "{text}\n{:?}", result.verdict);
}

fn explicit(how: explore::Options) -> Terms {
    Terms { engine: Decider::Explicit(how), ..Terms::default() }
}

const REUSED: &str = "
#include <stdlib.h>
int differ(void)
{
    int *first = malloc(sizeof *first);
    free(first);
    int *second = malloc(sizeof *second);
    return first != second;
}
int other(void) { return 0; }
#pragma fencepost op d = differ()
#pragma fencepost op o = other()
#pragma fencepost test T = ( d | o )
";

#[test]
fn reuse_of_memory() {
    assert_eq!(open(REUSED, &Terms::default()), ["allocations that fail", "allocations that return"]);
    violated(REUSED, &Terms { reuse: true, ..Terms::default() });
    assert_eq!(
        open(&REUSED.replace("first != second", "0"), &Terms { reuse: true, ..Terms::default() }),
        ["allocations that fail"]
    );
    // Also before `main` starts threads.
    let main = "#include <assert.h>\n#include <stdlib.h>
int main(void) { int *a = malloc(4); free(a); int *b = malloc(4); assert(a != b); return 0; }";
    violated(main, &Terms { reuse: true, ..Terms::default() });
    // Without `free` there is nothing to use again, and without `malloc` nothing to fail.
    let kept = REUSED.replace("free(first);", "");
    assert_eq!(open(&kept, &Terms::default()), ["allocations that fail"]);
    assert!(open("int main(void) { return 0; }", &Terms::default()).is_empty());
    // That an allocation fails is explored by nobody.
    let unlucky = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { assert(malloc(4)); return 0; }";
    assert_eq!(open(unlucky, &Terms::default()), ["allocations that fail"]);
}

const DEADLOCK: &str = "
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
#pragma fencepost op f = both(&a, &b)
#pragma fencepost op b = both(&b, &a)
#pragma fencepost test T = ( f | b )
";

#[test]
fn threads_that_wait_for_ever() {
    assert_eq!(open(DEADLOCK, &Terms::default()), ["whether threads may"]);
    violated(DEADLOCK, &explicit(explore::Options { stuck: true, ..Default::default() }));
    // The other engine says it where it is so.
    let ignored = open(DEADLOCK, &explicit(explore::Options::default()));
    assert!(ignored.contains(&"whether threads may".to_owned()), "{ignored:?}");
    let ordered = DEADLOCK.replace("both(&b, &a)", "both(&a, &b)");
    assert!(open(&ordered, &explicit(explore::Options::default())).is_empty());
    // One after the other, or with nothing to wait for.
    assert!(open(&DEADLOCK.replace("( f | b )", "( f b )"), &Terms::default()).is_empty());
    let atomic = "#include <stdatomic.h>\natomic_int x;\nint get(void) { return x; }
#pragma fencepost op g = get()\n#pragma fencepost test T = ( g | g )\n";
    assert!(open(atomic, &Terms::default()).is_empty());
}

#[test]
fn executions_that_never_end() {
    let text = "
#include <stdatomic.h>
atomic_int want[2];
void polite(int me)
{
    want[me] = 1;
    while (want[1 - me]) {
        want[me] = 0;
        want[me] = 1;
    }
    want[me] = 0;
}
#pragma fencepost op l = polite(0)
#pragma fencepost op r = polite(1)
#pragma fencepost test T = ( l | r )
";
    assert_eq!(open(text, &explicit(explore::Options::default())), ["executions that never"]);
    let fair = explore::Options { termination: explore::Termination::Fair, ..Default::default() };
    violated(text, &explicit(fair));
}

#[test]
fn calls_that_must_not_try_again() {
    let text = "
#include <stdatomic.h>
atomic_int x;
int up(void)
{
    int old = x, tries = 0;
    while (!atomic_compare_exchange_strong(&x, &old, old + 1))
        tries++;
    return tries;
}
#pragma fencepost op u = up()
#pragma fencepost test T = ( u' | u' )
";
    assert_eq!(open(text, &Terms::default()), ["executions in which"]);
    violated(&text.replace("u'", "u"), &Terms::default());
}

const LOCKED: &str = "
#include <pthread.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;
int up(void)
{
    pthread_mutex_lock(&mutex);
    int old = x++;
    pthread_mutex_unlock(&mutex);
    return old;
}
#pragma fencepost op u = up()
#pragma fencepost test T = ( u | u )
";

/// A race is claimed where there is one; where there may be, that nobody looked.
#[test]
fn data_races() {
    // Every execution is in order, so none has a race.
    assert_eq!(open(LOCKED, &Terms::default()), ["data races between", "whether threads may"]);
    let racy = "
int x;
int look(void) { return x; }
void set(void) { x = 1; }
#pragma fencepost op l = look()
#pragma fencepost op s = set()
#pragma fencepost test T = ( l | s )
";
    assert_eq!(open(racy, &Terms::default()), ["race on x"]);
    assert_eq!(open(racy, &explicit(explore::Options::default())), ["race on x"]);
    // One of them alone is atomic; both are; there is one thread only; the start of threads orders them.
    let half = racy.replace("return x", "return __atomic_load_n(&x, __ATOMIC_RELAXED)");
    assert_eq!(open(&half, &Terms::default()), ["race on x"]);
    let atomic = format!("#include <stdatomic.h>\n{}", racy.replace("int x;", "atomic_int x;"));
    assert!(open(&atomic, &Terms::default()).is_empty());
    assert!(open(&racy.replace("( l | s )", "( l s )"), &Terms::default()).is_empty());
    let before = racy.replace("( l | s )", "s ( l | l )");
    assert_eq!(open(&before, &Terms::default()), ["data races between"]);
    // A message that is passed properly is no race in any execution.
    let message = "
#include <stdatomic.h>
int data;
atomic_int flag;
void send(void) { data = 1; atomic_store_explicit(&flag, 1, memory_order_release); }
int receive(void) { return atomic_load_explicit(&flag, memory_order_acquire) ? data : 1; }
#pragma fencepost op s = send()
#pragma fencepost op r = receive()
#pragma fencepost test T = ( s | r )
";
    assert_eq!(open(message, &Terms::default()), ["data races between"]);
}

/// Without being asked for more, in text and JSON.
#[test]
fn every_verdict_carries_it() {
    let run = |arguments: &[&str]| {
        fencepost(&["check", "a.c", "-m", "sc"]).args(arguments).file("a.c", LOCKED).run()
    };
    for more in [&[][..], &["-q"], &["-v"]] {
        let shown = run(more).out;
        assert_eq!(shown.matches("not explored: data races").count(), 1, "{shown}");
        assert_eq!(shown.matches("not explored: whether threads").count(), 1, "{shown}");
    }
    let result = run(&["--json"]).result();
    assert_eq!(result["scope"]["not_explored"].as_array().map(Vec::len), Some(2));
}

/// What was thought impossible ends as a question, not as an answer.
#[test]
fn a_panic_is_no_verdict() {
    let session = session(LOCKED);
    let model = fencepost_models::builtin("sc").expect("it ships");
    let result =
        check(&session, &session.questions()[0], &model, &Terms::default(), &|_| panic!("on purpose"));
    let Verdict::Inconclusive(reason) = &result.verdict else { panic!("{:?}", result.verdict) };
    assert!(matches!(reason, Reason::Internal(_)), "{reason}");
    assert!(reason.to_string().contains("please report"), "{reason}");
}
