//! What the program prints: counterexamples as text and as JSON, and how it ends when it is interrupted.

use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/checkfence")
}

fn fencepost(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(arguments).current_dir(corpus());
    command
}

fn text(arguments: &[&str]) -> String {
    let output = fencepost(arguments).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // The time of the check stands in the first line of each result.
    let lines: Vec<String> = text
        .lines()
        .map(|line| match line.find(" s  ") {
            Some(end) if !line.starts_with(' ') => {
                let start = line[..end].rfind(' ').unwrap_or(0);
                format!("{} _{}", line[..start].trim_end(), &line[end..])
            }
            _ => line.trim_end().to_owned(),
        })
        .collect();
    lines.join("\n")
}

#[test]
fn counterexample_by_observation() {
    insta::assert_snapshot!(text(&["check", "msn.c", "-DNO_FENCE=1", "-m", "relaxed", "-t", "T0"]));
}

#[test]
fn counterexample_by_fault() {
    insta::assert_snapshot!(text(&["check", "msn.c", "-DNO_FENCE=4", "-m", "relaxed", "-t", "T0"]));
}

#[test]
fn scope_of_a_verdict() {
    insta::assert_snapshot!(text(&["check", "ms2.c", "-m", "tso", "-t", "e ( e d | d )", "-v"]));
}

#[test]
fn json_document() {
    let arguments = ["check", "msn.c", "-DNO_FENCE=1", "-m", "sc,relaxed", "-t", "T0", "--json"];
    let output = fencepost(&arguments).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "an expectation of the file is not met");
    let mut document: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    for result in document["results"].as_array_mut().expect("there are results") {
        let statistics = result["statistics"].as_object_mut().expect("there are statistics");
        for (name, value) in statistics {
            if name.ends_with("_seconds") || name == "peak_memory_bytes" {
                assert!(value.is_number(), "{name}");
                *value = Value::Null;
            }
        }
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).expect("printable"));
}

#[test]
fn models_separated_by_commas_and_repeated() {
    let out = text(&["check", "ms2.c", "-m", "sc,tso", "-m", "pso", "-t", "T0", "-q"]);
    assert_eq!(out.lines().count(), 3, "{out}");
}

#[test]
fn reference_implementation() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let reference = folder.path().join("ref.c");
    let queue = "
#include <stdbool.h>
static int items[8], head, tail;
void put(int value) { items[tail++] = value; }
bool get(int *value) { if (head == tail) return false; *value = items[head++]; return true; }
#pragma fencepost op e = put(any(0, 1))
#pragma fencepost op d = get(out)
";
    std::fs::write(&reference, queue).expect("written");
    let path = reference.display().to_string();
    let out = text(&["check", "msn.c", "-m", "relaxed", "-t", "Tpc2", "-q", "--reference", &path]);
    assert!(out.contains("holds") && out.contains("16 observations"), "{out}");
    // A stack is no queue: the specification must come from the reference.
    let stack = queue.replace("items[head++]", "items[--tail]");
    std::fs::write(&reference, stack).expect("written");
    let out = text(&["check", "msn.c", "-m", "sc", "-t", "( e e d d )", "-q", "--reference", &path]);
    assert!(out.contains("violated"), "{out}");
    // One with other operations cannot serve.
    std::fs::write(&reference, queue.replace("any(0, 1)", "any(0, 1, 2)")).expect("written");
    let out = text(&["check", "msn.c", "-m", "sc", "-t", "Tpc2", "-q", "--reference", &path]);
    assert!(out.contains("inconclusive") && out.contains("takes or returns something else"), "{out}");
}

/// An interrupt ends the check under way, keeps what is known, and says so.
#[test]
fn interrupt() {
    let arguments = ["check", "msn.c", "-m", "relaxed", "-t", "T0", "-t", "T56", "-t", "T55", "-q"];
    let mut child = fencepost(&arguments).stdout(Stdio::piped()).spawn().expect("it runs");
    // Long enough for the first test, far too short for the second.
    std::thread::sleep(Duration::from_millis(1500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let status = child.wait().expect("it ends");
    let mut out = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut out).expect("readable");
    assert_eq!(status.code(), Some(3), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "the third test was not begun: {out}");
    assert!(lines[0].contains("holds") && lines[1].contains("interrupted"), "{out}");
}

/// A limit on memory is met before memory is gone.
#[test]
fn memory_limit() {
    let out = text(&["check", "msn.c", "-m", "relaxed", "-t", "T56", "-q", "--memory", "20M"]);
    assert!(out.contains("inconclusive") && out.contains("memory limit"), "{out}");
}

#[test]
fn time_limit() {
    let out = text(&["check", "msn.c", "-m", "relaxed", "-t", "T56", "-q", "--timeout", "500ms"]);
    assert!(out.contains("inconclusive") && out.contains("time limit"), "{out}");
}

/// Commands that print in every way there is.
const PRINTING: [&[&str]; 8] = [
    &["check", "msn.c", "-m", "sc", "-t", "T0"],
    &["check", "msn.c", "-m", "sc", "-t", "T0", "--json"],
    &["sweep", "../amp/coarse-list.c", "--configuration", "A"],
    &["sweep", "../amp/coarse-list.c", "--configuration", "A", "--dry-run"],
    &["verify", "../blender/dekker.c", "--model", "sc"],
    &["lsl", "msn.c"],
    &["header"],
    &["--help"],
];

/// What cannot be written is an error, not a crash.
#[test]
fn unwritable_output() {
    for arguments in PRINTING {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let output = fencepost(arguments).stdout(full).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("error: cannot write the output") && !said.contains("panicked"), "{said}");
    }
}

/// That nobody reads the output ends the program without a word and without a verdict.
#[test]
fn closed_pipe() {
    for arguments in PRINTING {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = fencepost(arguments).stdout(writer).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.as_str()), (Some(3), ""), "{arguments:?}");
    }
}
