//! `check --engine explicit`: what it finds that the bounded engine does not look for, and bad input.

use serde_json::Value;
use std::process::{Command, Output};

/// Runs `check` on a program.
fn run(text: &str, engine: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("program.c"), text).expect("written");
    Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["check", "program.c", "--engine", engine])
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .expect("the program runs")
}

/// The exit code and the result of a check.
fn check(text: &str, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = run(text, "explicit", &[arguments, &["--json"]].concat());
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), document["results"][0].clone())
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
    assert_eq!((code, fault.as_str()), (Some(1), Some("assertion failed: woken != SLEEPERS")));
}

#[test]
fn threads_that_wait_for_ever() {
    let (code, result) = check(CROSSWISE, &["--model", "sc"]);
    assert_eq!((code, result["verdict"].as_str()), (Some(0), Some("holds")));
    assert!(result["scope"]["not_explored"].to_string().contains("wait for ever"), "{result}");
    assert!(result["scope"]["states"].as_u64() > Some(0));
    let (code, result) = check(CROSSWISE, &["--model", "sc", "--stuck"]);
    assert_eq!((code, result["verdict"].as_str()), (Some(1), Some("violated")));
    assert_eq!((&result["trace"]["wrong"], &result["trace"]["waiting"]), (&"stuck".into(), &[0, 1].into()));
    // One preemption is needed.
    let output = run(CROSSWISE, "explicit", &["--model", "sc", "--stuck", "--preemptions", "0"]);
    assert_eq!(output.status.code(), Some(0));
    // The verdict names its bound.
    assert!(String::from_utf8_lossy(&output.stdout).contains("at most 0 preemptions"));
    let (code, _) = check(CROSSWISE, &["--model", "sc", "--stuck", "--preemptions", "1"]);
    assert_eq!(code, Some(1));
    let text = String::from_utf8(run(CROSSWISE, "explicit", &["--model", "sc", "--stuck"]).stdout)
        .expect("it is text");
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
    assert_eq!((code, result["verdict"].as_str()), (Some(0), Some("holds")));
    assert!(
        result["scope"]["not_explored"].to_string().contains("an execution that ends: in every one"),
        "{result}"
    );
    for which in ["fair", "strong", "unfair"] {
        let (code, result) = check(ENDLESS, &["--model", "sc", "--endless", which]);
        assert_eq!((code, &result["trace"]["wrong"]), (Some(1), &"endless".into()), "{which}");
    }
}

#[test]
fn lost_memory() {
    let text = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; return 0; }\n";
    assert_eq!(check(text, &["--model", "sc"]).0, Some(0));
    let (code, result) = check(text, &["--model", "sc", "--leaks"]);
    assert_eq!((code, &result["trace"]["wrong"]), (Some(1), &"leak".into()));
    // Who keeps an address in another form has not lost it.
    let hidden = "#include <stdint.h>\n#include <stdlib.h>\nuintptr_t kept;\n\
                  int main(void) { int *p = malloc(4); *p = 1; kept = ~(uintptr_t)p; return 0; }\n";
    let (code, result) = check(hidden, &["--model", "sc", "--leaks"]);
    assert_eq!(code, Some(3), "{result}");
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
        assert_eq!((code, &result["trace"]["wrong"]), (Some(1), &"fault".into()));
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
    let output = run(CROSSWISE, "explicit", &[]);
    let text = String::from_utf8(output.stdout).expect("it is text");
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
        let output = run(CROSSWISE, engine, arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(message), "{said}");
    }
}
