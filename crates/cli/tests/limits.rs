//! Limits of time are kept by all that comes before an engine and beside it. Without that, each of these runs for hours.

mod common;

use common::{fencepost, folder};

/// The exit code, and the verdict with its reason.
fn run(files: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
    let folder = folder(files);
    let ran = fencepost(arguments).args(&["--json"]).within(&folder).run();
    let said = |name: &str| ran.result()[name].as_str().unwrap_or_default().to_owned();
    (ran.code, said("verdict"), said("reason"))
}

const COUNTER: &str = "int n; int inc(void) { return ++n; }\n#pragma fencepost op i = inc()\n\
                       #pragma fencepost test T = ( i | i )\n";

/// Sixteen values each, eight times over.
const CHOICES: &str = "for (int i = 0; i < 8; i++) s += fp_any(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15);";

/// Values 0 to 31.
fn numbers() -> String {
    (0..32).map(|n| n.to_string()).collect::<Vec<_>>().join(", ")
}

#[test]
fn of_mining() {
    let initial = format!(
        "#include <fencepost.h>\nint s;\nvoid init(void) {{ {CHOICES} }}\n#pragma fencepost init init()\n{COUNTER}"
    );
    let long = format!(
        "#include <fencepost.h>\nint s;\nvoid slow(void) {{ for (int i = 0; i < 900000; i++) s = i; {CHOICES} }}\n\
         #pragma fencepost op s = slow()\n{}",
        COUNTER.replace("i | i", "s | s")
    );
    let arguments = format!(
        "int n; int f(int a, int b, int c, int d, int e, int f) {{ return ++n; }}\n\
         #pragma fencepost op f = f({})\n#pragma fencepost test T = ( f )\n",
        vec![format!("any({})", numbers()); 6].join(", ")
    );
    for text in [initial, long, arguments] {
        let files = [("program.c", text.as_str())];
        let (code, verdict, reason) = run(&files, &["check", "program.c", "-m", "sc", "--timeout", "100ms"]);
        assert_eq!((code, verdict.as_str()), (3, "inconclusive"), "{text}");
        assert!(reason.contains("time limit"), "{reason}");
        let (code, _, reason) = run(&files, &["check", "program.c", "-m", "sc", "--memory", "1M"]);
        assert_eq!(code, 3, "{text}");
        assert!(reason.contains("memory limit"), "{reason}");
    }
}

/// More ways to choose arguments than a word can count.
#[test]
fn of_counting_arguments() {
    let text = format!(
        "int n; int f({}) {{ return ++n; }}\n#pragma fencepost op f = f({})\n#pragma fencepost test T = ( f | f )\n",
        (0..8).map(|n| format!("int a{n}")).collect::<Vec<_>>().join(", "),
        vec![format!("any({})", numbers()); 8].join(", ")
    );
    let (code, _, reason) =
        run(&[("program.c", &text)], &["check", "program.c", "-m", "sc", "--timeout", "1ms"]);
    assert_eq!(code, 3);
    assert!(reason.contains("time limit"), "{reason}");
}

#[test]
fn of_references() {
    let call = format!(
        "#include <fencepost.h>\nint n, w; int inc(void) {{ int s = 0; {CHOICES} w = s & 1; return ++n; }}\n#pragma fencepost op i = inc()\n"
    );
    let initial = format!(
        "#include <fencepost.h>\nint s;\nvoid init(void) {{ {CHOICES} }}\n#pragma fencepost init init()\n{COUNTER}"
    );
    for reference in [call, initial] {
        let files = [("program.c", COUNTER), ("reference.c", reference.as_str())];
        let arguments =
            ["sweep", "program.c", "--reference", "reference.c", "--threads", "1", "--steps", "1"];
        for (limit, value, expected) in
            [("--timeout", "100ms", "time limit"), ("--memory", "1M", "memory limit")]
        {
            let (code, verdict, reason) = run(&files, &[&arguments[..], &[limit, value]].concat());
            assert_eq!((code, verdict.as_str()), (3, "inconclusive"), "{reference}");
            assert!(reason.contains(expected), "{reason}");
        }
    }
}

/// Schedules are counted before they are explored.
#[test]
fn of_counting_schedules() {
    let queue = "int n; void enqueue(int v) { n = v; } int dequeue(void) { return -1; }\n\
                 #pragma fencepost op e = enqueue(any(0, 1))\n#pragma fencepost op d = dequeue()\n#pragma fencepost oracle queue\n";
    let files = [("program.c", queue)];
    for more in [&["--adds-dominate", "--thread-symmetry"][..], &[], &["--dry-run"]] {
        let arguments = [
            "sweep",
            "program.c",
            "--threads",
            "1..60",
            "--steps",
            "1..10000",
            "--preadds",
            "0..9",
            "--timeout",
            "100ms",
        ];
        let (code, verdict, reason) = run(&files, &[&arguments[..], more].concat());
        assert_eq!((code, verdict.as_str()), (3, "inconclusive"), "{more:?}");
        assert_eq!(reason, "the time limit was reached while schedules were counted");
    }
    // Pre-adds that make no difference are counted once.
    let arguments =
        ["sweep", "program.c", "--threads", "1..4", "--steps", "1..40", "--preadds", "0..9000", "--dry-run"];
    assert_eq!(run(&files, &arguments).0, 0);
}

/// Nobody wants so many calls.
#[test]
fn of_scopes() {
    let arguments = ["sweep", "program.c", "--reference", "program.c", "--steps", "1..99999999999"];
    let ran = fencepost(&arguments).file("program.c", COUNTER).run().exits(2);
    ran.says("a schedule could have more than 10000 calls");
}

/// What is said of a call that is not run to its end is true.
#[test]
fn of_calls_that_are_mined() {
    let program = |body: &str| {
        format!(
            "int n; static int down(int k) {{ return k ? 1 + down(k - 1) : 0; }}\nint get(void) {{ n++; {body} return n; }}\n\
             #pragma fencepost op g = get()\n#pragma fencepost test T = ( g )\n"
        )
    };
    let deep = "more than 256 calls inside of each other";
    let long = "does not end within 1000000 calls and turns of loops when it runs alone";
    for (body, expected) in [("down(300);", deep), ("for (int i = 0; i < 1000001; i++) n = i;", long)] {
        let text = program(body);
        let (code, _, reason) = run(&[("program.c", &text)], &["check", "program.c", "-m", "sc"]);
        assert_eq!(code, 3, "{body}");
        assert!(reason.contains("operation `g`") && reason.contains(expected), "{reason}");
        let arguments = ["sweep", "program.c", "--reference", "program.c", "--threads", "1", "--steps", "1"];
        let (code, _, reason) = run(&[("program.c", &text)], &arguments);
        assert_eq!(code, 3, "{body}");
        assert!(reason.contains("the reference's `g`") && reason.contains(expected), "{reason}");
    }
}
