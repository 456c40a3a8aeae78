//! Programs from texts and from the corpus, loaded, and run as a compiler has them.
#![allow(dead_code)] // Each test uses a part of this.

use fencepost_driver::session::Session;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Something in the corpus.
pub(crate) fn corpus(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(path)
}

/// The C files of a folder of the corpus, in order.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus(folder)).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// A file, loaded with these arguments of the preprocessor.
pub(crate) fn load(path: &Path, arguments: &[&str]) -> Session {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    match Session::load(path, &arguments, None) {
        Ok(session) => session,
        Err(rejected) => panic!("{}: {:#?}", path.display(), rejected.diagnostics),
    }
}

/// A text, loaded.
pub(crate) fn session(text: &str) -> Session {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("written");
    match Session::load(&path, &[], None) {
        Ok(session) => session,
        Err(rejected) => panic!("{:#?}\n{text}", rejected.diagnostics),
    }
}

/// What a file prints when it is compiled and run; it must succeed.
pub(crate) fn native(source: &Path) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program");
    let flags = ["-std=gnu11", "-fwrapv", "-O0", "-w", "-Wno-packed-bitfield-compat", "-o"];
    let compiled = Command::new("cc").args(flags).args([&program, source]).output();
    let compiled = compiled.expect("there is a compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().expect("it runs");
    let says = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {} {says}", source.display(), output.status);
    String::from_utf8(output.stdout).expect("it prints text")
}
