//! The corpus: every file carries its expectations, and every one of them is checked.

use fencepost::run::{Limits, check};
use fencepost::session::Session;
use fencepost_bounded::check::{Options, observations};
use fencepost_bounded::unroll;
use fencepost_harness::mine::Mined;
use fencepost_harness::verdict::Kind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// The C files of a folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus().join(folder)).expect("the folder exists");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files
}

fn load(path: &Path, arguments: &[&str]) -> Session {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    match Session::load(path, &arguments, None) {
        Ok(session) => session,
        Err(rejected) => {
            let messages: Vec<&str> = rejected.diagnostics.iter().map(|d| d.message.as_str()).collect();
            panic!("{}: {messages:?}", path.display());
        }
    }
}

fn verdict(session: &mut Session, test: &str, model: &str) -> (Kind, String) {
    let subject = session.subject(test).expect("the test exists");
    let model = fencepost_models::builtin(model).expect("the model ships");
    let result = check(session, &subject, &model, &Limits::default(), &|_| {});
    let why = match &result.verdict {
        fencepost_harness::result::Verdict::Inconclusive(reason) => reason.to_string(),
        _ => String::new(),
    };
    (result.verdict.kind(), why)
}

/// Runs jobs on both cores, each on a stack that deep programs need.
fn parallel<T: Send>(jobs: Vec<T>, work: impl Fn(T) + Send + Sync) {
    let queue = Mutex::new(jobs);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let worker = std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(scope, || {
                loop {
                    let job = queue.lock().expect("no worker panics while it holds the queue").pop();
                    match job {
                        Some(job) => work(job),
                        None => break,
                    }
                }
            });
            worker.expect("threads can be made");
        }
    });
}

/// All expectations of a folder. Violations come with traces that replay: without that, the verdict would
/// be inconclusive.
fn expectations(folder: &str) {
    let mut jobs = Vec::new();
    for path in files(folder) {
        let session = load(&path, &[]);
        assert!(!session.harness.expectations.is_empty(), "{} expects nothing", path.display());
        for expectation in &session.harness.expectations {
            jobs.push((path.clone(), expectation.clone()));
        }
    }
    // Neighbours share a file's mined specification if one worker keeps them.
    parallel(jobs, |(path, expectation)| {
        let mut session = load(&path, &[]);
        let (found, why) = verdict(&mut session, &expectation.test, &expectation.model);
        let name = format!("{} {} {}", path.display(), expectation.test, expectation.model);
        assert_eq!(found, expectation.verdict, "{name} {why}");
    });
}

#[test]
fn checkfence() {
    expectations("checkfence");
}

/// Each of the seven fences of CheckFence's Figure 9 is needed for the queue tests on relaxed.
#[test]
fn every_fence_of_the_nonblocking_queue_is_needed() {
    // The test that fails without the fence; smaller ones do not notice all of them.
    let needed_by = [(1, "T0"), (2, "T1"), (3, "T1"), (4, "T0"), (5, "T1"), (6, "T0"), (7, "T1")];
    let path = corpus().join("checkfence/msn.c");
    parallel(needed_by.to_vec(), |(fence, test)| {
        let mut session = load(&path, &[&format!("-DNO_FENCE={fence}")]);
        assert_eq!(verdict(&mut session, test, "relaxed").0, Kind::Violated, "without fence {fence}");
    });
    // There is no eighth.
    let mut session = load(&path, &["-DNO_FENCE=8"]);
    assert_eq!(verdict(&mut session, "T0", "relaxed").0, Kind::Holds);
}

#[test]
fn every_fence_of_the_two_lock_queue_is_needed() {
    let path = corpus().join("checkfence/ms2.c");
    for fence in [1, 2] {
        let mut session = load(&path, &[&format!("-DNO_FENCE={fence}")]);
        assert_eq!(verdict(&mut session, "T0", "relaxed").0, Kind::Violated, "without fence {fence}");
    }
}

/// Specifications mined by running serial executions are those that the solver enumerates.
#[test]
fn mining_agrees_with_the_solver() {
    let mut jobs = Vec::new();
    for file in ["msn", "ms2"] {
        for test in ["T0", "T1", "Tpc2", "Tpc3", "Ti2", "Ti3", "T53", "( e' d | d' )"] {
            jobs.push((corpus().join(format!("checkfence/{file}.c")), test));
        }
    }
    parallel(jobs, |(path, test)| {
        let mut session = load(&path, &[]);
        let subject = session.subject(test).expect("the test exists");
        let test = subject.test().expect("it is a test");
        let mined = session.specification(test, &|| false);
        let Mined::Specification { observations: mined, .. } = &*mined else { panic!("{mined:?}") };
        let serial = fencepost_models::builtin("serial").expect("it ships");
        let options = Options::default();
        let solved = observations(&session.harness, unroll::Subject::Test(test), &serial, &options);
        assert_eq!(solved.as_ref(), Ok(mined), "{} {}", path.display(), test.name);
    });
}
