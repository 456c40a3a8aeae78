//! Models are known by what they say, not by their names: a copy of a shipped one behaves as that in every command, a
//! namesake does not.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn corpus(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file).display().to_string()
}

/// A file that says what a shipped model says.
fn copy(folder: &Path, model: &str, name: &str) -> PathBuf {
    let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/texts");
    let path = folder.join(name);
    std::fs::copy(texts.join(format!("{model}.cat")), &path).expect("copied");
    path
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fencepost")).args(arguments).output().expect("it runs")
}

/// What is printed, without the name of the model and times.
fn said(output: &Output, model: &str) -> Vec<String> {
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let words = |line: &str| {
        let kept = line.split_whitespace().filter(|word| word.parse::<f64>().is_err());
        kept.collect::<Vec<_>>().join(" ").replace(model, "MODEL")
    };
    text.lines().map(words).collect()
}

#[test]
fn a_copy_behaves_as_what_it_copies() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copied = copy(folder.path(), "tso", "mine.cat");
    let copied = copied.to_str().expect("a path that is text");
    let (dekker, queue) = (corpus("blender/dekker.c"), corpus("amp/bounded-queue.c"));
    let commands: [&[&str]; 4] = [
        &["check", "--engine", "explicit", "-D", "NO_FENCE", &dekker],
        &["verify", "-q", &dekker],
        &["sweep", "--dry-run", &queue],
        &["fences", "--method", "store-buffers", &dekker],
    ];
    for command in commands {
        let with = |model: &str| {
            let output = run(&[command, &["--model", model]].concat());
            (
                output.status.code(),
                said(&output, "mine").iter().map(|line| line.replace("tso", "MODEL")).collect::<Vec<_>>(),
            )
        };
        assert_eq!(with("tso"), with(copied), "{command:?}");
    }
}

#[test]
fn a_namesake_is_not_taken_for_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dekker = corpus("blender/dekker.c");
    for name in ["tso.cat", "rlx.cat"] {
        let path = copy(folder.path(), "relaxed", name);
        let path = path.to_str().expect("a path that is text");
        for command in [
            &["check", "--engine", "explicit"][..],
            &["verify"],
            &["fences", "--method", "rlx"],
            &["fences", "--method", "store-buffers"],
        ] {
            let output = run(&[command, &["--model", path, &dekker]].concat());
            assert_eq!(output.status.code(), Some(2), "{command:?} {name}: {output:?}");
        }
    }
}
