//! Loading of C programs, and the referee.

#![allow(dead_code)] // Each test file uses some of it.

use fencepost_harness::operation::Harness;
use fencepost_harness::trace::Trace;
use std::io::Write;
use std::path::Path;

/// A file of the corpus.
pub(crate) fn corpus(file: &str, arguments: &[&str]) -> Harness {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/checkfence").join(file), arguments)
}

/// A program given as text.
pub(crate) fn program(text: &str) -> Harness {
    let mut file = tempfile::Builder::new().suffix(".c").tempfile().expect("there is room");
    file.write_all(text.as_bytes()).expect("there is room");
    load(file.path(), &[])
}

fn load(path: &Path, arguments: &[&str]) -> Harness {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    match fencepost_c::load(path, &arguments) {
        Ok((harness, _)) => harness,
        Err(rejected) => {
            let messages: Vec<&str> = rejected.diagnostics.iter().map(|d| d.message.as_str()).collect();
            panic!("{}: {messages:?}", path.display());
        }
    }
}

/// The referee accepts a trace.
pub(crate) fn replays(harness: &Harness, trace: &Trace, model: &str) {
    let cat = fencepost_models::builtin(model).expect("it ships");
    if let Err(why) = fencepost_replay::replay(harness, trace, &cat) {
        panic!("{model}: {why}\n{trace:#?}");
    }
}
