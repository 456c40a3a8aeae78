//! Verification without bounds: the programs of `corpus/blender` that run for ever, each as its file expects, and
//! what Section 6.2 of the paper says of the abstractions.

mod common;

use common::corpus;
use fencepost_driver::session::Session;
use fencepost_driver::verify::{self, Verified};
use fencepost_explore::abstraction::{Abstraction, Approach};
use fencepost_harness::budget::Budget;
use fencepost_harness::question::Question;
use fencepost_harness::result::Verdict;
use fencepost_harness::verdict::{Kind, Reason};

fn load(file: &str, arguments: &[&str]) -> Session {
    common::load(&corpus("blender").join(file), arguments)
}

fn run(session: &Session, model: &str, approach: Approach) -> Verified {
    let Some(Question::Main(main)) = session.questions().pop() else { panic!("no closed program") };
    verify::verify(
        session,
        main,
        &fencepost_models::builtin(model).expect("it ships"),
        &Budget::default(),
        approach,
        &|_| {},
    )
}

/// The programs, and the macros that make their variants.
const PROGRAMS: [(&str, &[&str]); 16] = [
    ("dekker.c", &[]),
    ("dekker.c", &["-DUNFENCED"]),
    ("peterson.c", &[]),
    ("peterson.c", &["-DUNFENCED"]),
    ("bakery.c", &[]),
    ("bakery.c", &["-DUNFENCED"]),
    ("fast-mutex.c", &[]),
    ("fast-mutex.c", &["-DUNFENCED"]),
    ("fast-mutex.c", &["-DONLY_FENCE=1"]),
    ("fast-mutex.c", &["-DONLY_FENCE=2"]),
    ("fast-mutex.c", &["-DONLY_FENCE=3"]),
    ("clh.c", &[]),
    ("clh.c", &["-DUNFENCED"]),
    ("sense-barrier.c", &[]),
    ("sense-barrier.c", &["-DUNFENCED"]),
    ("figure-6.c", &[]),
];

/// Every program is as its file expects, on every model; a violation comes with a trace that the referee accepts,
/// since the verdict would be inconclusive without.
#[test]
fn programs_are_as_expected() {
    // With the property stated in memory, and by ghosts.
    let both = PROGRAMS.iter().flat_map(|(file, arguments)| {
        [arguments.to_vec(), [*arguments, &["-DGHOST"]].concat()].map(|arguments| (*file, arguments))
    });
    for (file, arguments) in both {
        let session = load(file, &arguments);
        let expected = session.harness.expectations.iter().filter(|e| e.test == verify::NAME);
        let expected: Vec<_> = expected.collect();
        assert_eq!(expected.len(), 3, "{file} {arguments:?} expects something on sc, tso and pso");
        for expectation in expected {
            let Verified { result, .. } = run(&session, &expectation.model, Approach::Refine);
            let name = format!("{file} {arguments:?} on {}: {:?}", expectation.model, result.verdict);
            assert_eq!(result.verdict.kind(), expectation.verdict, "{name}");
        }
    }
}

/// All programs that run for ever are among them.
#[test]
fn no_program_is_forgotten() {
    let folder = corpus("blender");
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("readable").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if name.ends_with(".c") && text.contains("expect verify") {
            assert!(PROGRAMS.iter().any(|(known, _)| *known == name), "{name}");
        }
    }
}

fn with(file: &str, abstraction: Abstraction) -> Verdict {
    run(&load(file, &[]), "pso", Approach::Fixed(abstraction)).result.verdict
}

fn only_abstract(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Inconclusive(Reason::Abstraction(_)))
}

/// Figure 6 and the fast mutex need one store in order; the other locks need only to know the last one.
#[test]
fn heads_are_as_long_as_the_paper_says() {
    let fd = Abstraction::FullyDisjunctive;
    for (file, needs_head) in [
        ("figure-6.c", true),
        ("fast-mutex.c", true),
        ("peterson.c", false),
        ("dekker.c", false),
        ("bakery.c", false),
    ] {
        let coarse = with(file, fd(0));
        match needs_head {
            true => assert!(only_abstract(&coarse), "{file}: {coarse:?}"),
            false => assert_eq!(coarse.kind(), Kind::Holds, "{file}: {coarse:?}"),
        }
        assert_eq!(with(file, fd(1)).kind(), Kind::Holds, "{file}");
        assert!(only_abstract(&with(file, Abstraction::Set)), "{file}: nothing holds without recency");
    }
}

/// A violation without its fences is real whatever abstraction finds it.
#[test]
fn every_abstraction_finds_real_violations() {
    let session = load("peterson.c", &["-DUNFENCED"]);
    for name in ["none", "set", "fd:0", "fd:2", "pd:0", "pd:2"] {
        let abstraction = Abstraction::named(name).expect("an abstraction");
        for model in ["tso", "pso"] {
            let Verified { result, .. } = run(&session, model, Approach::Fixed(abstraction));
            assert_eq!(result.verdict.kind(), Kind::Violated, "{name} on {model}: {:?}", result.verdict);
        }
    }
}
