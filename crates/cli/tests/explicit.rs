//! `check --engine explicit`: what it finds that the bounded engine does not look for, and bad input.

mod common;

use common::{Ran, fencepost};
use serde_json::Value;

/// Runs `check` on a program.
fn run(text: &str, engine: &str, arguments: &[&str]) -> Ran {
    let check = ["check", "program.c", "--engine", engine];
    fencepost(&check).args(arguments).file("program.c", text).run()
}

/// The exit code and the result of a check.
fn check(text: &str, arguments: &[&str]) -> (i32, Value) {
    let ran = run(text, "explicit", &[arguments, &["--json"]].concat());
    (ran.code, ran.result())
}

const CROSSWISE: &str = "
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *first(void *argument) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return argument;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_join(t, 0);
    return 0;
}
";

/// A condition variable has room for more sleepers than a byte has bits: what fails is the program's own assertion.
#[test]
fn many_sleepers() {
    let text = include_str!("../../../corpus/attacks/ninth-sleeper.c");
    let (code, result) = check(text, &["--model", "sc"]);
    let fault = &result["trace"]["fault"]["fault"];
    assert_eq!((code, fault.as_str()), (1, Some("assertion failed: woken != SLEEPERS")));
}

#[test]
fn threads_that_wait_for_ever() {
    let (code, result) = check(CROSSWISE, &["--model", "sc"]);
    assert_eq!((code, result["verdict"].as_str()), (0, Some("holds")));
    assert!(result["scope"]["not_explored"].to_string().contains("wait for ever"), "{result}");
    assert!(result["scope"]["states"].as_u64() > Some(0));
    let (code, result) = check(CROSSWISE, &["--model", "sc", "--stuck"]);
    assert_eq!((code, result["verdict"].as_str()), (1, Some("violated")));
    assert_eq!((&result["trace"]["wrong"], &result["trace"]["waiting"]), (&"stuck".into(), &[0, 1].into()));
    // One preemption is needed.
    let ran = run(CROSSWISE, "explicit", &["--model", "sc", "--stuck", "--preemptions", "0"]).exits(0);
    // The verdict names its bound.
    ran.says("at most 0 preemptions");
    let (code, _) = check(CROSSWISE, &["--model", "sc", "--stuck", "--preemptions", "1"]);
    assert_eq!(code, 1);
    let text = run(CROSSWISE, "explicit", &["--model", "sc", "--stuck"]).out;
    let (_, waits) = text.split_once("the main thread waits for ever in main\n").expect(&text);
    let first = waits.lines().next().expect("it says for what");
    assert!(first.trim().starts_with("program.c:") && first.contains("a.held = "), "{text}");
}

const ENDLESS: &str = "
#include <pthread.h>
int turn;
static void *first(void *argument) { while (turn < 2) turn = 1; return argument; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    while (turn < 2)
        turn = 0;
    return 0;
}
";

#[test]
fn executions_that_never_end() {
    let (code, result) = check(ENDLESS, &["--model", "sc"]);
    assert_eq!((code, result["verdict"].as_str()), (0, Some("holds")));
    assert!(
        result["scope"]["not_explored"].to_string().contains("an execution that ends: in every one"),
        "{result}"
    );
    for which in ["fair", "strong", "unfair"] {
        let (code, result) = check(ENDLESS, &["--model", "sc", "--endless", which]);
        assert_eq!((code, &result["trace"]["wrong"]), (1, &"endless".into()), "{which}");
    }
}

#[test]
fn lost_memory() {
    let text = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; return 0; }\n";
    assert_eq!(check(text, &["--model", "sc"]).0, 0);
    let (code, result) = check(text, &["--model", "sc", "--leaks"]);
    assert_eq!((code, &result["trace"]["wrong"]), (1, &"leak".into()));
    // Who keeps an address in another form has not lost it.
    let hidden = "#include <stdint.h>\n#include <stdlib.h>\nuintptr_t kept;\n\
                  int main(void) { int *p = malloc(4); *p = 1; kept = ~(uintptr_t)p; return 0; }\n";
    let (code, result) = check(hidden, &["--model", "sc", "--leaks"]);
    assert_eq!(code, 3, "{result}");
    assert!(result["reason"].to_string().contains("forms that cannot be recognised"), "{result}");
}

/// The steps of a counterexample are as few as can be.
#[test]
fn shortest_counterexamples() {
    let text = "
#include <pthread.h>
#include <assert.h>
int x, y;
static void *first(void *argument) { for (int i = 0; i < 5; i++) x++; y = x; return argument; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    for (int i = 0; i < 5; i++)
        assert(x < 2);
    pthread_join(t, 0);
    return 0;
}
";
    let events = |arguments: &[&str]| {
        let (code, result) = check(text, &[&["--model", "sc"], arguments].concat());
        assert_eq!((code, &result["trace"]["wrong"]), (1, &"fault".into()));
        let events = result["trace"]["events"].as_array().expect("events").clone();
        let looks = events.iter().filter(|event| event["kind"] == "load" && event["line"] == 10).count();
        (looks, events.len())
    };
    let (any, shortest) = (events(&[]), events(&["--shortest"]));
    assert!(shortest.1 <= any.1, "{shortest:?} {any:?}");
    assert_eq!(shortest.0, 1, "the main thread looks just once");
}

#[test]
fn models() {
    let text = run(CROSSWISE, "explicit", &[]).out;
    let verdicts = text.lines().filter(|line| !line.starts_with(' '));
    let lines: Vec<&str> = verdicts.filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(lines, ["sc", "tso", "pso"], "{text}");
}

#[test]
fn what_does_not_go_together() {
    for (arguments, message) in [
        (&["--model", "rmo"][..], "the explicit engine does not know the model `rmo`"),
        (&["--stuck", "--leaks"], "the bounded engine has no --stuck, --leaks"),
        (&["--endless", "fair", "--preemptions", "2"], "no endless execution is fair"),
        (&["--preemptions", "few"], "write a number, or none"),
    ] {
        let engine = if message.contains("bounded") { "bounded" } else { "explicit" };
        run(CROSSWISE, engine, arguments).exits(2).says(message);
    }
}
