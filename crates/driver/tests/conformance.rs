//! Whether C means here what it means elsewhere: programs without concurrency, each about one part of the
//! language. Those of `corpus/c` must hold and also succeed when compiled and run; those of `corpus/c-bad`
//! have one fault each, named beside it in a comment `fault: …`.

use fencepost_driver::check::{Terms, check};
use fencepost_driver::session::Session;
use fencepost_harness::result::Verdict;
use fencepost_harness::verdict::Kind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of a folder of the corpus.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Checks the closed program of a file, which must expect this verdict of itself, and no other.
fn verdict(path: &Path, expected: Kind) -> (Session, Verdict) {
    let name = path.display();
    let session = match Session::load(path, &[], None) {
        Ok(session) => session,
        Err(rejected) => panic!("{name}: {:#?}", rejected.diagnostics),
    };
    let expectations: Vec<_> = session.harness.expectations.iter().collect();
    let [expectation] = expectations[..] else { panic!("{name} should expect one verdict") };
    assert_eq!((expectation.test.as_str(), expectation.verdict), ("main", expected), "{name}");
    let subject = session.questions().remove(0);
    let model = fencepost_models::builtin(&expectation.model).expect("the model ships");
    let verdict = check(&session, &subject, &model, &Terms::default(), &|_| {}).verdict;
    assert_eq!(verdict.kind(), expected, "{name}: {verdict:?}");
    (session, verdict)
}

#[test]
fn programs_without_fault_hold() {
    for path in files("c") {
        verdict(&path, Kind::Holds);
    }
}

/// The expectations themselves are right: a compiler agrees.
#[test]
fn programs_without_fault_succeed_natively() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program");
    for path in files("c") {
        let compiled = Command::new("cc")
            .args(["-std=gnu11", "-fwrapv", "-O0", "-w", "-o"])
            .args([&program, &path])
            .output()
            .expect("there is a compiler");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let output = Command::new(&program).output().expect("it runs");
        let says = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {says}", path.display());
    }
}

#[test]
fn programs_with_a_fault_are_violated_there() {
    for path in files("c-bad") {
        let name = path.display();
        let text = std::fs::read_to_string(&path).expect("readable");
        let marks: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .filter_map(|(line, text)| {
                Some((line + 1, text.split_once("/* fault: ")?.1.strip_suffix(" */")?))
            })
            .collect();
        let [(line, fault)] = marks[..] else { panic!("{name} should name one fault") };
        let (session, verdict) = verdict(&path, Kind::Violated);
        let Verdict::Violated(example) = verdict else { unreachable!("just asserted") };
        let (_, found, span) = example.trace.fault().expect("closed programs only fail by faults");
        assert_eq!(found.to_string(), fault, "{name}");
        let at = session.harness.program.sources.position(span);
        // A fault in a header, as that of `abort`, has no line in the file.
        if at.file.ends_with(".c") {
            assert_eq!(at.line as usize, line, "{name}");
        }
    }
}
