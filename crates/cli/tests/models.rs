//! Models are known by what they say, not by their names: a copy of a shipped one behaves as that in every command, a
//! namesake does not.

mod common;

use common::{Ran, corpus, fencepost};
use std::path::{Path, PathBuf};

/// A file that says what a shipped model says.
fn copy(folder: &Path, model: &str, name: &str) -> PathBuf {
    let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/texts");
    let path = folder.join(name);
    std::fs::copy(texts.join(format!("{model}.cat")), &path).expect("copied");
    path
}

/// What is printed, without the name of the model and times.
fn said(ran: &Ran, model: &str) -> Vec<String> {
    let words = |line: &str| {
        let kept = line.split_whitespace().filter(|word| word.parse::<f64>().is_err());
        kept.collect::<Vec<_>>().join(" ").replace(model, "MODEL")
    };
    ran.said().lines().map(words).collect()
}

#[test]
fn a_copy_behaves_as_what_it_copies() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copied = copy(folder.path(), "tso", "mine.cat");
    let copied = copied.to_str().expect("a path that is text");
    let (dekker, queue) = ("blender/dekker.c", "amp/bounded-queue.c");
    let commands: [&[&str]; 4] = [
        &["check", "--engine", "explicit", "-D", "NO_FENCE", dekker],
        &["verify", "-q", dekker],
        &["sweep", "--dry-run", queue],
        &["fences", "--method", "store-buffers", dekker],
    ];
    for command in commands {
        let with = |model: &str| {
            let ran = fencepost(command).args(&["--model", model]).within(&corpus("")).run();
            let lines = said(&ran, "mine");
            (ran.code, lines.iter().map(|line| line.replace("tso", "MODEL")).collect::<Vec<_>>())
        };
        assert_eq!(with("tso"), with(copied), "{command:?}");
    }
}

#[test]
fn a_namesake_is_not_taken_for_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["tso.cat", "rlx.cat"] {
        let path = copy(folder.path(), "relaxed", name);
        let path = path.to_str().expect("a path that is text");
        for command in [
            &["check", "--engine", "explicit"][..],
            &["verify"],
            &["fences", "--method", "rlx"],
            &["fences", "--method", "store-buffers"],
        ] {
            let arguments = ["--model", path, "blender/dekker.c"];
            fencepost(command).args(&arguments).within(&corpus("")).run().exits(2);
        }
    }
}
