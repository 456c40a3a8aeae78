//! Programs written against arguments of soundness (`corpus/attacks`): every file says what it attacks and what is expected of it,
//! and each engine that has the model must say so.

use fencepost::run::{Engine, Limits, check};
use fencepost::session::Session;
use fencepost_harness::operation::Expectation;
use fencepost_harness::result::Verdict;
use fencepost_harness::verdict::Reason;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/attacks");
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

fn load(path: &Path) -> Session {
    match Session::load(path, &[], None) {
        Ok(session) => session,
        Err(rejected) => {
            let messages: Vec<&str> = rejected.diagnostics.iter().map(|d| d.message.as_str()).collect();
            panic!("{}: {messages:?}", path.display());
        }
    }
}

/// What an engine says otherwise than expected.
fn disagrees(session: &mut Session, expectation: &Expectation, limits: &Limits) -> Option<String> {
    let subject = session.subject(&expectation.test).expect("the test exists");
    let model = fencepost_models::builtin(&expectation.model).expect("the model ships");
    let verdict = check(session, &subject, &model, limits, &|_| {}).verdict;
    let explicit = matches!(limits.engine, Engine::Explicit(_));
    let right = match &verdict {
        // What the second engine says it cannot follow, it need not.
        Verdict::Inconclusive(Reason::Unsupported(_)) if explicit => true,
        verdict => verdict.kind() == expectation.verdict,
    };
    let Expectation { test, model, verdict: expected, .. } = expectation;
    let engine = if explicit { "explicit" } else { "bounded" };
    (!right).then(|| format!("{test} {model} {engine}: {expected} was expected, not {verdict:?}"))
}

#[test]
fn attacks() {
    let mut wrong = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        assert!(text.starts_with("/*"), "{name} does not say what it attacks");
        let mut session = load(&path);
        let expectations = session.harness.expectations.clone();
        assert!(!expectations.is_empty(), "{name} expects nothing");
        for expectation in &expectations {
            let mut engines = vec![Limits::default()];
            if fencepost_explore::Model::named(&expectation.model).is_some() {
                let budget = fencepost_explore::Budget { states: Some(1_000_000), ..Default::default() };
                let how = fencepost_explore::Options { budget, ..Default::default() };
                engines.push(Limits { engine: Engine::Explicit(how), ..Limits::default() });
            }
            for limits in &engines {
                let found = disagrees(&mut session, expectation, limits);
                wrong.extend(found.map(|why| format!("{name} {why}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
