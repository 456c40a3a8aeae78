//! The corpus: every file carries its expectations, and every one of them is checked.

mod common;

use common::{corpus, files, load};
use fencepost_bounded::Precision;
use fencepost_bounded::check::{Options, observations};
use fencepost_driver::check::{Decider, Terms, check};
use fencepost_driver::session::Session;
use fencepost_driver::verify;
use fencepost_driver::verify::NAME;
use fencepost_harness::budget::Poll;
use fencepost_harness::mine::Mined;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Expectation;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Kind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn verdict(session: &mut Session, test: &str, model: &str) -> (Kind, String) {
    verdict_within(session, test, model, &Terms::default())
}

fn verdict_within(session: &mut Session, test: &str, model: &str, terms: &Terms) -> (Kind, String) {
    let subject = session.question(test).expect("the test exists");
    let model = fencepost_models::builtin(model).expect("the model ships");
    let result = check(session, &subject, &model, terms, &|_| {});
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

const ENDLESS: [&str; 6] = [
    "blender/bakery.c",
    "blender/clh.c",
    "blender/dekker.c",
    "blender/fast-mutex.c",
    "blender/peterson.c",
    "blender/sense-barrier.c",
];

/// All expectations of a folder. Violations come with traces that replay: without that, the verdict would
/// be inconclusive.
fn expectations(folder: &str) {
    let mut jobs = Vec::new();
    for path in files(folder) {
        // Programs that run for ever are to be verified, and for others to include and to bound.
        if ENDLESS.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let session = load(&path, &[]);
        assert!(!session.harness.expectations.is_empty(), "{} expects nothing", path.display());
        for expectation in session.harness.expectations.iter().filter(|e| e.test != verify::NAME) {
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

#[test]
fn amp() {
    expectations("amp");
}

#[test]
fn blender() {
    expectations("blender");
}

#[test]
fn fender() {
    expectations("fender");
}

/// What the explicit engine says of all that is expected on machines with store buffers: the same, within so many
/// states. Returns how many expectations it decided, and how many there are.
fn explicit(states: u64) -> (usize, usize) {
    let mut jobs = Vec::new();
    for path in ["checkfence", "amp", "blender", "fender"].iter().flat_map(|folder| files(folder)) {
        let expected = load(&path, &[]).harness.expectations;
        // What verification without bounds should find is tested with it.
        let wanted = |expectation: &Expectation| {
            fencepost_explore::Buffering::named(&expectation.model).is_some() && expectation.test != NAME
        };
        let expected = expected.into_iter().filter(wanted);
        jobs.extend(expected.map(|expectation| (path.clone(), expectation)));
    }
    let (total, decided) = (jobs.len(), AtomicUsize::new(0));
    parallel(jobs, |(path, expectation)| {
        let mut session = load(&path, &[]);
        let budget = fencepost_harness::budget::Budget { states: Some(states), ..Default::default() };
        let how = fencepost_explore::Options { budget, ..Default::default() };
        let terms = Terms { engine: Decider::Explicit(how), ..Terms::default() };
        let (found, why) = verdict_within(&mut session, &expectation.test, &expectation.model, &terms);
        let name = format!("{} {} {}", path.display(), expectation.test, expectation.model);
        match found {
            Kind::Inconclusive => assert!(why.contains("states"), "{name}: {why}"),
            _ => {
                assert_eq!(found, expectation.verdict, "{name}");
                decided.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    (decided.into_inner(), total)
}

#[test]
fn the_explicit_engine_agrees() {
    let (decided, total) = explicit(30_000);
    println!("{decided} of {total}");
    assert!(decided * 10 > total * 7, "{decided} of {total}");
}

/// `cargo test --release -p fencepost --test corpus explicit_engine_agrees_on_more -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn the_explicit_engine_agrees_on_more() {
    let (decided, total) = explicit(5_000_000);
    println!("{decided} of {total}");
    assert!(decided * 10 > total * 9, "{decided} of {total}");
}

/// A data type, how many fences it has, and for each a test that fails on relaxed without it. Smaller tests
/// do not notice all of them. Snark's fences come in pairs, left and right.
const NEEDED: [(&str, &[&str]); 6] = [
    ("ms2", &["T0", "T0"]),
    ("msn", &["T0", "T1", "T1", "T0", "T1", "T0", "T1"]),
    ("lazylist", &["Sar", "Saacr", "Sac", "Sac"]),
    ("harris", &["Sac", "Saacr", "Sac", "Sone"]),
    ("snark", &["Dm", "Dm", "Dm", "Dm", "Dm", "Dm", "Dw", "Da", "Dm", "Da"]),
    ("snark-corrected", &["Dm", "Dm", "Dm", "Dm", "Dm", "Dm", "Da", "D0", "Da", "D0"]),
];

/// Every fence is needed: without any one of them some test fails on relaxed. That all of them together
/// suffice is what the files expect of themselves.
#[test]
fn every_fence_is_needed() {
    let mut jobs = Vec::new();
    for (name, tests) in NEEDED {
        let path = corpus(&format!("checkfence/{name}.c"));
        let text = std::fs::read_to_string(&path).expect("readable");
        let fences = text.matches(" ORDER(").count();
        assert_eq!(fences, tests.len(), "{name} has {fences} fences");
        jobs.extend(tests.iter().enumerate().map(|(index, &test)| (path.clone(), index + 1, test)));
    }
    parallel(jobs, |(path, fence, test)| {
        let mut session = load(&path, &[&format!("-DNO_FENCE={fence}")]);
        let (found, why) = verdict(&mut session, test, "relaxed");
        assert_eq!(found, Kind::Violated, "{} {test} without fence {fence} {why}", path.display());
    });
}

/// Small tests of every data type, by file and reference implementation.
const SMALL: [(&str, &str, &[&str]); 5] = [
    ("ms2", "refqueue", &["T0", "T1", "Tpc2", "Tpc3", "Ti2", "Ti3", "T53"]),
    ("msn", "refqueue", &["T0", "T1", "Tpc2", "Tpc3", "Ti2", "Ti3", "T53", "( e' d | d' )"]),
    ("lazylist", "refset", &["Sac", "Sar", "Saa", "Sacr", "Saacr", "Sarr"]),
    ("harris", "refset", &["Sac", "Sar", "Saa", "Sacr", "Sarr"]),
    ("snark-corrected", "refdeque", &["D0", "Da", "Db"]),
];

fn mine(session: &mut Session, test: &str) -> ObservationSet {
    let subject = session.question(test).expect("the test exists");
    match &*session
        .specification(subject.test().expect("it is a test"), &Poll::never())
        .expect("nobody stops it")
    {
        Mined::Specification { observations, .. } => observations.clone(),
        other => panic!("{test}: {other:?}"),
    }
}

/// Specifications mined by running serial executions are those that the solver enumerates, and those of
/// sequential implementations.
#[test]
fn mining_agrees_with_the_solver_and_with_references() {
    let jobs =
        SMALL.iter().flat_map(|(file, reference, tests)| tests.iter().map(move |t| (file, reference, t)));
    parallel(jobs.collect(), |(file, reference, test)| {
        let path = |name: &str| corpus(&format!("checkfence/{name}.c"));
        let mut session = load(&path(file), &[]);
        let mined = mine(&mut session, test);
        let subject = session.question(test).expect("the test exists");
        let subject = &Question::Test(subject.test().expect("it is a test").clone());
        let serial = fencepost_models::builtin("serial").expect("it ships");
        let solved = observations(&session.harness, subject, &serial, &Options::default());
        assert_eq!(solved.as_ref(), Ok(&mined), "{file} {test} by the solver");
        assert_eq!(mine(&mut load(&path(reference), &[]), test), mined, "{file} {test} by {reference}");
    });
}

/// Without the range analysis every verdict is the same, only later.
#[test]
fn ranges_do_not_change_verdicts() {
    let jobs = vec![
        ("ms2", "T0", Kind::Holds),
        ("ms2-unfenced", "T0", Kind::Violated),
        ("msn", "Tpc2", Kind::Holds),
        ("msn-unfenced", "T0", Kind::Violated),
        ("lazylist", "Sac", Kind::Holds),
        ("lazylist-unfenced", "Sar", Kind::Violated),
        ("harris", "Sac", Kind::Holds),
        ("harris-unfenced", "Sac", Kind::Violated),
        ("snark", "D0", Kind::Violated),
    ];
    parallel(jobs, |(file, test, expected)| {
        let mut session = load(&corpus(&format!("checkfence/{file}.c")), &[]);
        let subject = session.question(test).expect("the test exists");
        let model = fencepost_models::builtin("relaxed").expect("it ships");
        let terms = Terms { precision: Precision::Types, ..Terms::default() };
        let result = check(&session, &subject, &model, &terms, &|_| {});
        assert_eq!(result.verdict.kind(), expected, "{file} {test}: {:?}", result.verdict);
    });
}
