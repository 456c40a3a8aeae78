//! Whether C means here what it means elsewhere: programs without concurrency, each about one part of the
//! language. Those of `corpus/c` must hold and also succeed when compiled and run; those of `corpus/c-bad`
//! have one fault each, named beside it in a comment `fault: …`.

mod common;

use common::{files, load, native};
use fencepost_driver::check::{Terms, check};
use fencepost_driver::session::Session;
use fencepost_harness::result::Verdict;
use fencepost_harness::verdict::Kind;
use std::path::Path;

/// Checks the closed program of a file, which must expect this verdict of itself, and no other.
fn verdict(path: &Path, expected: Kind) -> (Session, Verdict) {
    let name = path.display();
    let session = load(path, &[]);
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
    for path in files("c") {
        native(&path);
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
