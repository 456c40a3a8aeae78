//! The corpus on the explicit engine: what its files expect, with counterexamples that replay.

mod support;

use fencepost_explore::{Budget, Model, Options, Search, Subject, Verdict, Violation, explore};
use fencepost_harness::mine::{Mined, mine};
use fencepost_harness::operation::Harness;
use fencepost_harness::test::Test;
use fencepost_harness::verdict::Kind;
use support::{corpus, replays};

fn test(harness: &Harness, name: &str) -> Test {
    harness.tests.iter().find(|test| test.name == name).unwrap_or_else(|| panic!("no test {name}")).clone()
}

/// The verdict on a test, compared with its mined specification.
fn check(harness: &Harness, name: &str, options: &Options) -> Verdict {
    let test = test(harness, name);
    let Mined::Specification { observations, .. } = mine(harness, &test, &|| false) else {
        panic!("{name} has no specification");
    };
    let found = explore(harness, Subject::Test(&test, Some(&observations)), options, None, &|_| {});
    println!("{name} on {:?}: {:?}", options.model, found.statistics);
    found.verdict
}

fn kind(verdict: &Verdict) -> Kind {
    match verdict {
        Verdict::Holds => Kind::Holds,
        Verdict::Violated { .. } => Kind::Violated,
        Verdict::Inconclusive(_) => Kind::Inconclusive,
    }
}

/// Compares with all that a file expects on machines with store buffers.
fn expectations(file: &str) {
    let harness = corpus(file, &[]);
    let mut compared = 0;
    for expectation in &harness.expectations {
        let Some(model) = Model::named(&expectation.model) else { continue };
        let verdict = check(&harness, &expectation.test, &Options { model, ..Options::default() });
        assert_eq!(
            kind(&verdict),
            expectation.verdict,
            "{file} {} on {model:?}: {verdict:?}",
            expectation.test
        );
        if let Verdict::Violated { trace, .. } = &verdict {
            replays(&harness, trace, &expectation.model);
        }
        compared += 1;
    }
    assert!(compared > 0, "{file}");
}

const ALL: &[&str] = &["sc", "tso", "pso"];

#[test]
fn queues() {
    expectations("ms2.c");
    expectations("msn.c");
}

#[test]
fn queues_without_fences() {
    expectations("ms2-unfenced.c");
    expectations("msn-unfenced.c");
}

#[test]
fn sets() {
    for file in ["lazylist.c", "harris.c"] {
        let harness = corpus(file, &[]);
        for name in ["Sac", "Sar", "Saa"] {
            for model in ALL {
                let options =
                    Options { model: Model::named(model).expect("a machine"), ..Options::default() };
                assert_eq!(check(&harness, name, &options), Verdict::Holds, "{file} {name} {model}");
            }
        }
    }
}

/// The published pseudocode forgets to unmark a new node.
#[test]
fn an_unmarked_node() {
    let harness = corpus("lazylist.c", &["-DUNMARKED"]);
    let test = test(&harness, "Sac");
    let found = explore(&harness, Subject::Test(&test, None), &Options::default(), None, &|_| {});
    let Verdict::Violated { violation: Violation::Fault, trace } = found.verdict else {
        panic!("{:?}", found.verdict)
    };
    replays(&harness, &trace, "sc");
}

/// Snark's known bug shows on sc already.
#[test]
fn snark() {
    let harness = corpus("snark.c", &[]);
    for search in [Search::Depth, Search::Breadth] {
        let options = Options { search, ..Options::default() };
        let verdict = check(&harness, "D0", &options);
        let Verdict::Violated { violation: Violation::Observation, trace } = verdict else {
            panic!("{verdict:?}")
        };
        replays(&harness, &trace, "sc");
    }
}

/// Every test of every file, for a minute each: `cargo test --release -p fencepost-explore --test corpus
/// everything -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn everything() {
    for file in ["ms2.c", "msn.c", "lazylist.c", "harris.c", "snark.c", "snark-corrected.c"] {
        let harness = corpus(file, &[]);
        for test in &harness.tests {
            for model in ALL {
                let deadline = Some(std::time::Instant::now() + std::time::Duration::from_secs(60));
                let budget = Budget { deadline, memory: Some(2 << 30), ..Budget::default() };
                let options =
                    Options { model: Model::named(model).expect("a machine"), budget, ..Options::default() };
                let verdict = check(&harness, &test.name, &options);
                println!("{file} {} {model}: {}", test.name, kind(&verdict));
                if let Verdict::Violated { trace, .. } = &verdict {
                    replays(&harness, trace, model);
                }
            }
        }
    }
}
