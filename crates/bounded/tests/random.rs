//! Random tiny programs: the engine against brute force.
//!
//! `PROGRAMS=5000 cargo test -p fencepost-bounded --test random` is the slow tier; a failure
//! prints the program, shrunk, and its seed.

use fencepost_bounded::OrderEncoding;
use fencepost_bounded::Shortcuts;
use fencepost_bounded::check::{self, Options};
use fencepost_harness::engine::Finding;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::question::Question;
use fencepost_lsl::value::Value;
use fencepost_reference::axioms::{self, Model};
use fencepost_reference::buffers::{self, Machine};
use fencepost_reference::cycles;
use fencepost_reference::generate::{self, Size};
use fencepost_reference::lower::lower;
use fencepost_reference::program::{Outcome, Program};
use fencepost_reference::random::Random;
use std::collections::BTreeSet;

fn programs() -> u64 {
    std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

fn bounded(program: &Program, model: &str, options: &Options) -> BTreeSet<Outcome> {
    let (harness, test) = lower(program);
    let model = fencepost_models::builtin(model).expect("it ships");
    let found = check::observations(&harness, &Question::Test(test.clone()), &model, options)
        .expect("no limits are set");
    found.sorted().iter().map(|o| o.iter().map(|value| value.defined().expect("defined")).collect()).collect()
}

/// Compares on programs that `make` makes from random numbers.
fn compare(
    name: &str,
    model: &str,
    make: impl Fn(&mut Random) -> Program,
    count: u64,
    differs: &dyn Fn(&Program) -> bool,
) {
    assert!(count > 0, "{name}: nothing to compare");
    for seed in 0..count {
        let program = make(&mut Random::new(seed * 31 + name.len() as u64));
        if differs(&program) {
            let small = generate::shrink(&program, differs);
            let expected =
                axioms::outcomes(&small, Model::named(model).expect("known"), &axioms::guesses(&small));
            let found = bounded(&small, model, &Options::default());
            panic!(
                "{name} on {model}, seed {seed}:\n{small}\nbrute force alone: {:?}\nengine alone: {:?}",
                expected.difference(&found).collect::<Vec<_>>(),
                found.difference(&expected).collect::<Vec<_>>()
            );
        }
    }
}

fn against_axioms(model: &str) {
    let reference = Model::named(model).expect("known");
    let differs = |program: &Program| {
        axioms::outcomes(program, reference, &axioms::guesses(program))
            != bounded(program, model, &Options::default())
    };
    let count = programs();
    let at_large = |threads, accesses| {
        move |random: &mut Random| generate::program(random, Size { threads, accesses, partial_fences: true })
    };
    compare("two threads", model, at_large(2, 9), count, &differs);
    compare("three threads", model, at_large(3, 8), count.div_ceil(4), &differs);
    compare("four threads", model, at_large(4, 8), count.div_ceil(8), &differs);
    let circle = |threads| move |random: &mut Random| cycles::program(random, threads, 8);
    compare("circle of two", model, circle(2), count, &differs);
    compare("circle of three", model, circle(3), count.div_ceil(2), &differs);
    compare("circle of four", model, circle(4), count.div_ceil(16), &differs);
}

#[test]
fn serial_agrees_with_the_axioms() {
    against_axioms("serial");
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
fn rmo_agrees_with_the_axioms() {
    against_axioms("rmo");
}

#[test]
fn relaxed_agrees_with_the_axioms() {
    against_axioms("relaxed");
}

#[test]
fn rlx_agrees_with_the_axioms() {
    against_axioms("rlx");
}

#[test]
fn machines_agree_with_the_engine() {
    for (model, machine) in [("sc", Machine::Sc), ("tso", Machine::Tso), ("pso", Machine::Pso)] {
        let differs = |program: &Program| {
            assert!(machine.knows(program), "{program}");
            buffers::outcomes(program, machine) != bounded(program, model, &Options::default())
        };
        let partial_fences = machine != Machine::Pso;
        let count = programs();
        let at_large = |threads| {
            move |random: &mut Random| {
                generate::program(random, Size { threads, accesses: 8, partial_fences })
            }
        };
        // Of those that machines do not know, the next one that they do.
        let circle = |threads| {
            move |random: &mut Random| loop {
                let program = cycles::program(random, threads, 8);
                if machine.knows(&program) {
                    return program;
                }
            }
        };
        compare("two buffers", model, at_large(2), count * 3 / 4, &differs);
        compare("three buffers", model, at_large(3), count.div_ceil(4), &differs);
        compare("buffers in a circle", model, circle(2), count * 3 / 4, &differs);
        compare("three in a circle", model, circle(3), count.div_ceil(4), &differs);
    }
}

/// What a model allows, the weaker ones allow too; and each is weaker for some program.
#[test]
fn models_grow_weaker() {
    let mut more = vec![0; fencepost_models::ALL.len()];
    for seed in 0..programs() {
        let program = cycles::program(&mut Random::new(seed + 5_000_000), 2 + seed as usize % 2, 8);
        let mut stronger = BTreeSet::new();
        for (number, model) in fencepost_models::ALL.iter().enumerate() {
            let outcomes = bounded(&program, model, &Options::default());
            assert!(stronger.is_subset(&outcomes), "{model} {seed}\n{program}");
            more[number] += (stronger != outcomes) as u64;
            stronger = outcomes;
        }
    }
    println!("programs with more outcomes than on the model before: {more:?} of {}", programs());
    assert!(!fencepost_reference::random::is_usual() || more.iter().all(|&count| count > 0), "{more:?}");
}

/// Every reduction, switched off, and every order encoding give the same outcomes.
#[test]
fn shortcuts_change_nothing() {
    let size = Size { threads: 3, accesses: 7, partial_fences: true };
    let all = Shortcuts::default();
    let variants = [
        Shortcuts { merge_blocks: false, ..all },
        Shortcuts { resolve_local: false, ..all },
        Shortcuts { hide_overwritten: false, ..all },
    ];
    for model in ["serial", "sc", "tso", "pso", "rmo", "relaxed", "rlx"] {
        for seed in 0..programs().div_ceil(8) {
            let program = generate::program(&mut Random::new(seed + 7_000_000), size);
            let expected = bounded(&program, model, &Options::default());
            for shortcuts in variants {
                let options = Options { shortcuts, ..Options::default() };
                assert_eq!(
                    bounded(&program, model, &options),
                    expected,
                    "{model} {seed} {shortcuts:?}\n{program}"
                );
            }
            for order in [OrderEncoding::Eager, OrderEncoding::Propagating] {
                let options = Options { order, ..Options::default() };
                assert_eq!(
                    bounded(&program, model, &options),
                    expected,
                    "{model} {seed} {order:?}\n{program}"
                );
            }
        }
    }
}

/// Counterexamples against what sequential consistency allows are found just where brute force has
/// them, and replay.
#[test]
fn violations_replay() {
    let size = Size { threads: 2, accesses: 7, partial_fences: true };
    let mut violated = 0;
    for name in ["tso", "pso", "rmo", "relaxed", "rlx"] {
        let model = fencepost_models::builtin(name).expect("it ships");
        for seed in 0..programs().div_ceil(2) {
            let program = generate::program(&mut Random::new(seed + 9_000_000), size);
            let (harness, test) = lower(&program);
            let mut specification = ObservationSet::default();
            let sequential = axioms::outcomes(&program, Model::Sc, &axioms::guesses(&program));
            for outcome in &sequential {
                specification.insert(outcome.iter().map(|&bits| Value::new(bits).into()).collect());
            }
            let allowed =
                axioms::outcomes(&program, Model::named(name).expect("known"), &axioms::guesses(&program));
            let subject = &Question::Test(test.clone());
            let outcome =
                check::check(&harness, subject, &model, Some(&specification), &Options::default(), &|_| {});
            let trace = match outcome.finding {
                Finding::Holds => {
                    assert!(allowed.is_subset(&sequential), "{name} {seed}\n{program}");
                    outcome.witness.expect("one is shown")
                }
                Finding::Violated { trace, .. } => {
                    violated += 1;
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
