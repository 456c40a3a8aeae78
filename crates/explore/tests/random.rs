//! Random tiny programs: the explicit engine against brute force, with every reduction on and off.
//!
//! `PROGRAMS=5000 cargo test -p fencepost-explore --test random` is the slow tier; a failure prints the
//! program, shrunk, and its seed.

use fencepost_explore::{Buffering, Options, Reductions, Search, explore};
use fencepost_harness::engine::Finding;
use fencepost_harness::observation::{Observation, ObservationSet};
use fencepost_harness::question::Question;
use fencepost_harness::result::Wrong;
use fencepost_lsl::value::Value;
use fencepost_reference::axioms;
use fencepost_reference::buffers::{self, Machine};
use fencepost_reference::cycles;
use fencepost_reference::generate::{self, Size};
use fencepost_reference::lower::lower;
use fencepost_reference::program::{Outcome, Program};
use fencepost_reference::random::Random;
use std::collections::BTreeSet;

fn programs() -> u64 {
    std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(50)
}

fn options(model: &str) -> Options {
    Options { buffering: Buffering::named(model).expect("it is a machine"), ..Options::default() }
}

fn explicit(program: &Program, options: &Options) -> BTreeSet<Outcome> {
    let (harness, test) = lower(program);
    let found = explore(&harness, &Question::Test(test), None, options, None, &|_| {});
    assert_eq!(found.finding, Finding::Holds, "{program}");
    let outcome = |o: &&Observation| o.iter().map(|value| value.defined().expect("defined")).collect();
    found.observations.sorted().iter().map(outcome).collect()
}

type Outcomes<'a> = &'a dyn Fn(&Program) -> BTreeSet<Outcome>;

/// Compares on programs that `make` makes from random numbers.
fn compare(
    name: &str,
    make: impl Fn(&mut Random) -> Program,
    count: u64,
    expected: Outcomes,
    found: Outcomes,
) {
    assert!(count > 0, "{name}: nothing to compare");
    let differs = |program: &Program| expected(program) != found(program);
    for seed in 0..count {
        let program = make(&mut Random::new(seed * 37 + name.len() as u64));
        if differs(&program) {
            let small = generate::shrink(&program, &differs);
            let (expected, found) = (expected(&small), found(&small));
            panic!(
                "{name}, seed {seed}:\n{small}\nexpected alone: {:?}\nengine alone: {:?}",
                expected.difference(&found).collect::<Vec<_>>(),
                found.difference(&expected).collect::<Vec<_>>()
            );
        }
    }
}

fn at_large(threads: usize, accesses: usize, partial_fences: bool) -> impl Fn(&mut Random) -> Program {
    move |random: &mut Random| generate::program(random, Size { threads, accesses, partial_fences })
}

fn against_axioms(model: &str) {
    let reference = axioms::Model::named(model).expect("known");
    let expected = |program: &Program| axioms::outcomes(program, reference, &axioms::guesses(program));
    let found = |program: &Program| explicit(program, &options(model));
    let count = programs();
    compare("two threads", at_large(2, 9, true), count, &expected, &found);
    compare("three threads", at_large(3, 8, true), count.div_ceil(4), &expected, &found);
    compare("four threads", at_large(4, 8, true), count.div_ceil(8), &expected, &found);
    let circle = |threads| move |random: &mut Random| cycles::program(random, threads, 8);
    compare("circle of two", circle(2), count, &expected, &found);
    compare("circle of three", circle(3), count.div_ceil(2), &expected, &found);
    compare("circle of four", circle(4), count.div_ceil(16), &expected, &found);
}

#[test]
fn sc_agrees_with_the_axioms() {
    against_axioms("sc");
}

#[test]
fn tso_agrees_with_the_axioms() {
    against_axioms("tso");
}

#[test]
fn pso_agrees_with_the_axioms() {
    against_axioms("pso");
}

#[test]
fn machines_agree() {
    for (model, machine) in [("sc", Machine::Sc), ("tso", Machine::Tso), ("pso", Machine::Pso)] {
        let expected = |program: &Program| {
            assert!(machine.knows(program), "{program}");
            buffers::outcomes(program, machine)
        };
        let found = |program: &Program| explicit(program, &options(model));
        let partial = machine != Machine::Pso;
        compare("two buffers", at_large(2, 8, partial), programs(), &expected, &found);
        compare("three buffers", at_large(3, 8, partial), programs().div_ceil(2), &expected, &found);
        compare("four buffers", at_large(4, 12, partial), programs().div_ceil(8), &expected, &found);
    }
}

/// Every reduction, switched off, and either order of the search give the same outcomes.
#[test]
fn reductions_change_nothing() {
    let all = Reductions::default();
    let variants = [
        Reductions::NONE,
        Reductions { remember: false, ..all },
        Reductions { private: false, ..all },
        Reductions { footprint: false, ..all },
        Reductions { sole: false, ..all },
        Reductions { collect: false, ..all },
        Reductions { rename: true, ..all },
    ];
    for model in ["sc", "tso", "pso"] {
        for reductions in variants {
            for search in [Search::Depth, Search::Breadth] {
                let expected = |program: &Program| explicit(program, &options(model));
                let found =
                    |program: &Program| explicit(program, &Options { reductions, search, ..options(model) });
                let count = programs().div_ceil(4);
                compare("reduced", at_large(3, 9, true), count, &expected, &found);
                compare("reduced circle", |random| cycles::program(random, 3, 9), count, &expected, &found);
            }
        }
    }
}

/// Counterexamples against what sequential consistency allows are found just where brute force has them, and
/// replay.
#[test]
fn violations_replay() {
    let mut violated = 0;
    for name in ["tso", "pso"] {
        let model = fencepost_models::builtin(name).expect("it ships");
        for seed in 0..programs() {
            let size = Size { threads: 2 + seed as usize % 2, accesses: 8, partial_fences: true };
            let program = generate::program(&mut Random::new(seed + 9_000_000), size);
            let (harness, test) = lower(&program);
            let mut specification = ObservationSet::default();
            let sequential = axioms::outcomes(&program, axioms::Model::Sc, &axioms::guesses(&program));
            for outcome in &sequential {
                specification.insert(outcome.iter().map(|&bits| Value::new(bits).into()).collect());
            }
            let reference = axioms::Model::named(name).expect("known");
            let allowed = axioms::outcomes(&program, reference, &axioms::guesses(&program));
            let subject = &Question::Test(test.clone());
            let found = explore(&harness, subject, Some(&specification), &options(name), None, &|_| {});
            let trace = match found.finding {
                Finding::Holds => {
                    assert!(allowed.is_subset(&sequential), "{name} {seed}\n{program}");
                    found.witness.expect("an execution completes")
                }
                Finding::Violated { wrong: violation, trace } => {
                    violated += 1;
                    assert_eq!(violation, Wrong::Observation);
                    let seen = trace.observation(&harness).expect("it is complete");
                    let seen: Outcome = seen.iter().map(|seen| seen.defined().expect("defined")).collect();
                    assert!(
                        allowed.contains(&seen) && !sequential.contains(&seen),
                        "{name} {seed}\n{program}"
                    );
                    trace
                }
                Finding::Inconclusive(reason) => panic!("{name} {seed}: {reason}\n{program}"),
            };
            if let Err(why) = fencepost_replay::replay(&harness, &trace, &model) {
                panic!("{name} {seed}: {why}\n{program}\n{trace:#?}");
            }
        }
    }
    assert!(!fencepost_reference::random::is_usual() || violated > 0, "no program told the models apart");
}
