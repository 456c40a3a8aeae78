//! Bad input: each mistake has one clear diagnostic and exit code 2; limits have a reason and exit code 3.

mod common;

use common::{fencepost, folder};

/// A queue of one element, to make mistakes with.
const GOOD: &str = "\
int full, item;
void put(int value) { item = value; full = 1; }
int get(void) { return full ? item : -1; }
#pragma fencepost op p = put(any(0, 1))
#pragma fencepost op g = get()
#pragma fencepost test T = ( p g )
";

/// What `fencepost check` says of a file.
fn check(text: &str, arguments: &[&str]) -> String {
    fencepost(&["check", "queue.c"]).args(arguments).file("queue.c", text).run().shown()
}

macro_rules! cases {
    ($($name:ident: $text:expr, $arguments:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(check($text, &$arguments));
        }
    )*};
}

cases! {
    good: GOOD, ["-m", "sc", "-q"];
    syntax_errors: "int x = ;\nint f(void) { return 1 }\nint y;\nint g(void { return 2; }\n", [];
    ghost_that_does_too_much: "#include <fencepost.h>
int x;
static int f(void) { return x; }
int main(void) { fp_ghost { x = f(); fence(\"full\"); } return 0; }
", [];
    ghost_on_rmo: "#include <fencepost.h>
int x;
int main(void) { fp_ghost { x = 1; } return 0; }
", ["-m", "rmo"];
    unknown_type: "typedef struct node { int x; } node_t;\nnodet *head;\nint main(void) { return 0; }\n", [];
    unknown_pragma: "#pragma fencepost tset T = ( e )\nint main(void) { return 0; }\n", [];
    unknown_operation: &format!("{GOOD}#pragma fencepost test U = ( p | x )\n"), [];
    empty_test: &format!("{GOOD}#pragma fencepost test U = ( p | )\n"), [];
    malformed_test: &format!("{GOOD}#pragma fencepost test U = ( p g\n"), [];
    operation_without_function: "#pragma fencepost op e = enqueue(1)\n#pragma fencepost test T = ( e )\n", [];
    operation_with_wrong_arguments: "int f(int x) { return x; }\n#pragma fencepost op f = f()\n", [];
    operation_with_open_value: "int x; int f(int x) { return x; }\n#pragma fencepost op f = f(x)\n", [];
    unsupported_constructs: "\
double mean(double a, double b) { return (a + b) / 2; }
__thread int mine;
int f(int n) { int a[n]; void *here = &&label; label: a[0] = n; return a[0]; }
int main(void) { return f(3) + mine + (int)mean(1.0, 2.0); }
", [];
    missing_body: "int helper(int x);\nint main(void) { return helper(1); }\n", [];
    missing_header: "#include <nosuch.h>\nint main(void) { return 0; }\n", [];
    wrong_expectation: &format!("{GOOD}#pragma fencepost expect T sc violated\n"), ["-m", "sc", "-q"];
    expectation_of_unknown_test: &format!("{GOOD}#pragma fencepost expect X sc holds\n"), [];
    expectation_of_unknown_verdict: &format!("{GOOD}#pragma fencepost expect T sc works\n"), [];
    unknown_model: GOOD, ["-m", "tos"];
    unknown_model_in_file: &format!("{GOOD}#pragma fencepost model sc, tos\n"), [];
    unknown_test: GOOD, ["-t", "U"];
    written_test_with_unknown_operation: GOOD, ["-t", "( p | q )"];
    nothing_to_check: "int x;\n", [];
    nothing_expected: GOOD, ["--expected"];
    unbounded_recursion: "\
int depth;
int down(int n) { return depth ? n : down(n + 1); }
#pragma fencepost op d = down(0)
#pragma fencepost test T = ( d )
", ["-m", "sc", "-q"];
    recursion_beyond_the_limit: "\
int x;
void follow(int seen) { if (x != seen) follow(x); }
void step(void) { x++; }
#pragma fencepost op f = follow(0)
#pragma fencepost op s = step()
#pragma fencepost test T = ( f | s s s s )
", ["-m", "sc", "-q", "--max-unroll", "2"];
    endless_loop: "\
int x;
void forever(void) { while (1) x++; }
#pragma fencepost op f = forever()
#pragma fencepost test T = ( f )
", ["-m", "sc", "-q"];
    loop_beyond_the_limit: "\
int x, y;
void follow(void) { int seen = 0; while (x != seen) y = seen = x; }
void step(void) { x++; }
#pragma fencepost op f = follow()
#pragma fencepost op s = step()
#pragma fencepost test T = ( f | s s s s )
", ["-m", "sc", "-q", "--max-unroll", "2"];
    waiting_is_no_mistake: "\
int x;
void wait(void) { while (!x) ; }
void set(void) { x = 1; }
#pragma fencepost op w = wait()
#pragma fencepost op s = set()
#pragma fencepost test T = ( w | s )
", ["-m", "sc", "-v"];
    nothing_completes: "\
#include <fencepost.h>
int x;
void wait(void) { assume(x == 1); }
void idle(void) { }
#pragma fencepost op w = wait()
#pragma fencepost op i = idle()
#pragma fencepost test T = ( w | i )
", ["-m", "sc", "-q"];
    nothing_completes_in_main: "\
#include <pthread.h>
int x;
void *wait(void *unused) { while (!x) ; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, wait, 0); pthread_join(t, 0); return 0; }
", ["-m", "sc", "-q"];
    no_time: GOOD, ["-m", "sc", "-q", "--timeout", "0"];
    bad_model_file: GOOD, ["-m", "queue.cat"];
}

#[test]
fn missing_file() {
    insta::assert_snapshot!(fencepost(&["check", "nosuch.c"]).run().shown());
}

#[test]
fn folder_instead_of_file() {
    let folder = folder(&[]);
    std::fs::create_dir(folder.path().join("queue.c")).expect("made");
    insta::assert_snapshot!(fencepost(&["check", "queue.c"]).within(&folder).run().shown());
}

/// What is said of a program whose text is Latin-1: `text` as it stands, with `\u{e9}` as one byte.
fn latin_1(text: &str, arguments: &[&str]) -> String {
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(c).expect("Latin-1")).collect();
    fencepost(arguments).file("queue.c", bytes).run().shown()
}

/// What a literal holds would be a guess.
#[test]
fn literals_that_are_no_utf_8() {
    let text = "\
#include <assert.h>
#define ACUTE '\u{e9}'
static const char text[] = \"\u{e9}\"; /* \u{e9} */
int main(void) { assert(sizeof text == 4 && text[0] != ACUTE); return 0; }
";
    insta::assert_snapshot!(latin_1(text, &["check", "queue.c", "-m", "sc"]));
}

#[test]
fn comments_that_are_no_utf_8() {
    let text = "\
#include <assert.h>
#include <pthread.h>
int x, y, a, b; /* \u{e9} */
void *other(void *unused)
{
    x = 1;
    a = y; /* \u{e9} */
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    y = 1;
    b = x;
    pthread_join(thread, 0);
    assert(a || b);
    return 0;
}
";
    insta::assert_snapshot!(latin_1(text, &["check", "queue.c", "-m", "sc", "-q"]));
    insta::assert_snapshot!(latin_1(text, &["fences", "queue.c", "-m", "tso"]));
}

/// A program with a call of a function that calls another, and so on; with a fault behind that.
fn calls(depth: usize) -> String {
    let mut text = String::from("#include <assert.h>\nstatic int f0(void) { return 0; }\n");
    for inner in 0..depth - 2 {
        text += &format!("static int f{}(void) {{ return f{inner}() + 1; }}\n", inner + 1);
    }
    text + &format!("int main(void) {{ assert(f{}() == 0); return 0; }}\n", depth - 2)
}

/// The same for all who follow them. No recursion is in sight, and everything ends.
#[test]
fn calls_inside_of_each_other() {
    for engine in ["bounded", "explicit"] {
        let arguments = ["-m", "sc", "-q", "--engine", engine];
        assert!(check(&calls(256), &arguments).ends_with("assertion failed: f254() == 0\nexit code 1"));
        insta::assert_snapshot!(check(&calls(257), &arguments));
        let operation = calls(258).replace("int main(void) { assert(f256() == 0);", "int op(void) { f256();");
        let operation = operation + "#pragma fencepost op o = op()\n#pragma fencepost test T = ( o | o )\n";
        insta::assert_snapshot!(check(&operation, &arguments));
    }
}

/// The referee follows whatever an engine followed, and who does not says just that.
#[test]
fn loops_of_many_turns() {
    let text = "\
#include <assert.h>
int main(void) { int n = 0; for (int i = 0; i < 1100000; i++) n = i; assert(n == 0); return 0; }
";
    insta::assert_snapshot!(check(text, &["-m", "sc", "-q"]));
    let found = check(text, &["-m", "sc", "-q", "--engine", "explicit"]);
    assert!(found.ends_with("assertion failed: n == 0\nexit code 1"), "{found}");
    let text = "\
static int turn(void) { int n = 0; for (int i = 0; i < 1100000; i++) n = i; return n; }
#pragma fencepost op t = turn()
#pragma fencepost test T = ( t | t )
";
    insta::assert_snapshot!(check(text, &["-m", "sc", "-q"]));
}

/// As many as there are bits in the words of model headers.
#[test]
fn many_threads() {
    let text = |count| {
        format!(
            "#include <pthread.h>
static void *nothing(void *unused) {{ return unused; }}
int main(void)
{{
    pthread_t thread;
    for (int i = 0; i < {count}; i++) pthread_create(&thread, 0, nothing, 0);
    return 0;
}}
"
        )
    };
    assert!(check(&text(63), &["-m", "sc", "-q"]).ends_with("exit code 0"));
    insta::assert_snapshot!(check(&text(64), &["-m", "sc", "-q"]));
}

/// It depends on a choice, not on other threads.
#[test]
fn allocations_of_unknown_size() {
    let text = "\
#include <fencepost.h>
#include <stdlib.h>
int main(void) { return !malloc(fp_any(1, 2)); }
";
    insta::assert_snapshot!(check(text, &["-m", "sc", "-q"]));
}

/// Programs are C11 whatever the compiler takes for granted.
#[test]
fn standard_of_the_preprocessor() {
    let text = "_Static_assert(__STDC_VERSION__ == 201112L, \"C11\");\nint main(void) { return 0; }\n";
    insta::assert_snapshot!(check(text, &["-m", "sc", "-q"]));
}

#[test]
fn model_file_with_mistakes() {
    let run = fencepost(&["check", "queue.c", "-m", "my.cat"]).file("queue.c", GOOD);
    insta::assert_snapshot!(run.file("my.cat", "\"mine\"\nacyclic po | xyz\n").run().shown());
}

#[test]
fn model_from_a_file() {
    let run = fencepost(&["check", "queue.c", "-m", "my.cat", "-q"]).file("queue.c", GOOD);
    insta::assert_snapshot!(run.file("my.cat", "\"mine\"\nacyclic po | rf | co | fr\n").run().shown());
}
