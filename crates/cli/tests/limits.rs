//! Limits of time are kept by all that comes before an engine and beside it. Without that, each of these runs for hours.

use serde_json::Value;
use std::process::Command;

/// The exit code, and the verdict with its reason.
fn run(files: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(arguments)
        .arg("--json")
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let result = &document["results"][0];
    let said = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
    (output.status.code(), said("verdict"), said("reason"))
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
        assert_eq!((code, verdict.as_str()), (Some(3), "inconclusive"), "{text}");
        assert!(reason.contains("time limit"), "{reason}");
        let (code, _, reason) = run(&files, &["check", "program.c", "-m", "sc", "--memory", "1M"]);
        assert_eq!(code, Some(3), "{text}");
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
    assert_eq!(code, Some(3));
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
            assert_eq!((code, verdict.as_str()), (Some(3), "inconclusive"), "{reference}");
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
        assert_eq!((code, verdict.as_str()), (Some(3), "inconclusive"), "{more:?}");
        assert_eq!(reason, "the time limit was reached while schedules were counted");
    }
    // Pre-adds that make no difference are counted once.
    let arguments =
        ["sweep", "program.c", "--threads", "1..4", "--steps", "1..40", "--preadds", "0..9000", "--dry-run"];
    assert_eq!(run(&files, &arguments).0, Some(0));
}

/// Nobody wants so many calls.
#[test]
fn of_scopes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("program.c"), COUNTER).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["sweep", "program.c", "--reference", "program.c", "--steps", "1..99999999999"])
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a schedule could have more than 10000 calls"), "{said}");
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
        assert_eq!(code, Some(3), "{body}");
        assert!(reason.contains("operation `g`") && reason.contains(expected), "{reason}");
        let arguments = ["sweep", "program.c", "--reference", "program.c", "--threads", "1", "--steps", "1"];
        let (code, _, reason) = run(&[("program.c", &text)], &arguments);
        assert_eq!(code, Some(3), "{body}");
        assert!(reason.contains("the reference's `g`") && reason.contains(expected), "{reason}");
    }
}
