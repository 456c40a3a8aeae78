//! The corpus on the explicit engine: what its files expect, with counterexamples that replay.

mod support;

use fencepost_explore::{Buffering, Options, Reductions, Search, explore};
use fencepost_harness::budget::{Budget, Poll};
use fencepost_harness::engine::Finding;
use fencepost_harness::mine::{Mined, mine};
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::result::Wrong;
use fencepost_harness::test::Test;
use fencepost_harness::verdict::Kind;
use support::{corpus, replays};

fn test(harness: &Harness, name: &str) -> Test {
    harness.tests.iter().find(|test| test.name == name).unwrap_or_else(|| panic!("no test {name}")).clone()
}

/// The verdict on a test, compared with its mined specification.
fn check(harness: &Harness, name: &str, options: &Options) -> Finding {
    let test = test(harness, name);
    let Mined::Specification { observations, .. } =
        mine(harness, &test, &Poll::never()).expect("nobody stops it")
    else {
        panic!("{name} has no specification");
    };
    let found = explore(harness, &Question::Test(test), Some(&observations), options, None, &|_| {});
    println!("{name} on {:?}: {:?}", options.buffering, found.statistics);
    found.finding
}

fn kind(verdict: &Finding) -> Kind {
    match verdict {
        Finding::Holds => Kind::Holds,
        Finding::Violated { .. } => Kind::Violated,
        Finding::Inconclusive(_) => Kind::Inconclusive,
    }
}

/// Compares with all that a file expects on machines with store buffers.
fn expectations(file: &str) {
    let harness = corpus(file, &[]);
    let mut compared = 0;
    for expectation in &harness.expectations {
        let Some(model) = Buffering::named(&expectation.model) else { continue };
        let verdict = check(&harness, &expectation.test, &Options { buffering: model, ..Options::default() });
        assert_eq!(
            kind(&verdict),
            expectation.verdict,
            "{file} {} on {model:?}: {verdict:?}",
            expectation.test
        );
        if let Finding::Violated { trace, .. } = &verdict {
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
                    Options { buffering: Buffering::named(model).expect("a machine"), ..Options::default() };
                assert_eq!(check(&harness, name, &options), Finding::Holds, "{file} {name} {model}");
            }
        }
    }
}

/// Every reduction, switched off, leaves the observations of programs with heaps as they are.
#[test]
fn reductions_change_nothing() {
    let all = Reductions::default();
    let variants = [
        Reductions { remember: false, ..all },
        Reductions { private: false, ..all },
        Reductions { footprint: false, ..all },
        Reductions { sole: false, ..all },
        Reductions { collect: false, ..all },
        Reductions { rename: true, ..all },
        Reductions { rename: true, ..Reductions::NONE },
        Reductions::NONE,
    ];
    let cases =
        [("lazylist.c", "Sar"), ("harris.c", "Saa"), ("ms2.c", "T0"), ("msn.c", "Tpc2"), ("snark.c", "D0")];
    for (file, name) in cases {
        let harness = corpus(file, &[]);
        let test = test(&harness, name);
        for model in ALL {
            let explored = |reductions: Reductions| {
                let model = Buffering::named(model).expect("a machine");
                let options = Options { buffering: model, reductions, ..Options::default() };
                let found = explore(&harness, &Question::Test(test.clone()), None, &options, None, &|_| {});
                assert_eq!(found.finding, Finding::Holds, "{file} {name} {model:?} {reductions:?}");
                (found.observations, found.statistics)
            };
            let (expected, fewest) = explored(all);
            for reductions in variants {
                let (found, statistics) = explored(reductions);
                assert_eq!(found, expected, "{file} {name} {model} {reductions:?}");
                println!("{file} {name} {model}: {} of {} states", fewest.states, statistics.states);
            }
        }
    }
}

/// The published pseudocode forgets to unmark a new node.
#[test]
fn an_unmarked_node() {
    let harness = corpus("lazylist.c", &["-DUNMARKED"]);
    let test = test(&harness, "Sac");
    let found = explore(&harness, &Question::Test(test.clone()), None, &Options::default(), None, &|_| {});
    let Finding::Violated { wrong: Wrong::Fault, trace } = found.finding else {
        panic!("{:?}", found.finding)
    };
    replays(&harness, &trace, "sc");
}

/// Primed operations that would retry are ruled out; they do not wait.
#[test]
fn primed_operations_are_not_stuck() {
    let mut harness = corpus("lazylist.c", &[]);
    let span = harness.tests[0].span;
    let primed = fencepost_harness::test::parse(&harness, "P", "a' ( a' | r' )", span.file, span.start);
    harness.tests.push(primed.expect("it is a test"));
    for search in [Search::Depth, Search::Breadth] {
        let options = Options { search, stuck: true, ..Options::default() };
        assert_eq!(check(&harness, "P", &options), Finding::Holds);
    }
}

/// Snark's known bug shows on sc already.
#[test]
fn snark() {
    let harness = corpus("snark.c", &[]);
    for search in [Search::Depth, Search::Breadth] {
        let options = Options { search, ..Options::default() };
        let verdict = check(&harness, "D0", &options);
        let Finding::Violated { wrong: Wrong::Observation, trace } = verdict else { panic!("{verdict:?}") };
        replays(&harness, &trace, "sc");
    }
}

/// Every test of every file, for a minute each: `cargo test --release -p fencepost-explore --test corpus
/// everything -- --ignored --nocapture`; `FILE=snark.c` takes one file.
#[test]
#[ignore = "takes minutes"]
fn everything() {
    for file in ["ms2.c", "msn.c", "lazylist.c", "harris.c", "snark.c", "snark-corrected.c"] {
        if std::env::var("FILE").is_ok_and(|wanted| wanted != file) {
            continue;
        }
        let harness = corpus(file, &[]);
        for test in &harness.tests {
            for model in ALL {
                let deadline = Some(std::time::Instant::now() + std::time::Duration::from_secs(60));
                let budget = Budget { deadline, memory: Some(2 << 30), ..Budget::default() };
                let options = Options {
                    buffering: Buffering::named(model).expect("a machine"),
                    budget,
                    ..Options::default()
                };
                let verdict = check(&harness, &test.name, &options);
                println!("{file} {} {model}: {}", test.name, kind(&verdict));
                if let Finding::Violated { trace, .. } = &verdict {
                    replays(&harness, trace, model);
                }
            }
        }
    }
}

/// What renaming of objects saves, and costs: `cargo test --release -p fencepost-explore --test corpus renaming
/// -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn renaming() {
    let cases = [("ms2.c", "T1 T53 T54 Tpc5"), ("msn.c", "T1 T53 Tpc5"), ("lazylist.c", "Sacr2")];
    for (file, name) in cases.iter().flat_map(|(file, names)| names.split(' ').map(move |name| (*file, name)))
    {
        let harness = corpus(file, &[]);
        let test = test(&harness, name);
        let explored = |rename: bool| {
            let reductions = Reductions { rename, ..Reductions::default() };
            let options = Options { reductions, ..Options::default() };
            let found = explore(&harness, &Question::Test(test.clone()), None, &options, None, &|_| {});
            assert_eq!(found.finding, Finding::Holds, "{file} {name}");
            (found.observations, found.statistics)
        };
        let ((fixed, before), (renamed, after)) = (explored(false), explored(true));
        assert_eq!(fixed, renamed, "{file} {name}");
        let (was, is) = (before.time.as_secs_f64(), after.time.as_secs_f64());
        println!("{file} {name}: {} of {} states, {is:.3} s against {was:.3} s", after.states, before.states);
    }
}
