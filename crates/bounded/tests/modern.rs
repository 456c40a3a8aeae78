//! The models of today's languages and machines: the engine against verdicts that were argued by hand, and against brute
//! force that knows the published definitions.
//!
//! `PROGRAMS=5000 cargo test -p fencepost-bounded --test modern` is the slow tier; a failure prints the program, shrunk.

mod ask;

use ask::Litmus;
use fencepost_bounded::Location;
use fencepost_bounded::check::{self, Options};
use fencepost_harness::question::Question;
use fencepost_lsl::program::address;
use fencepost_lsl::value::Value;
use fencepost_models::MODERN;
use fencepost_models::cat::Model;
use fencepost_reference::axioms;
use fencepost_reference::generate::{self, Size};
use fencepost_reference::litmus::corpus::{modern_rows, rows};
use fencepost_reference::lower::lower;
use fencepost_reference::program::{Outcome, Program};
use fencepost_reference::random::Random;
use fencepost_reference::{cycles, weak};
use std::collections::BTreeSet;

/// The model as brute force has it: read-modify-writes of armv8 are single instructions there. Executions with data races
/// count like any others.
fn model(name: &str) -> Model {
    let mapping = (name == "armv8").then_some("lse");
    let model = fencepost_models::mapped(name, mapping).expect("it ships");
    Model { flags: Vec::new(), ..model }
}

/// All outcomes by the engine.
fn found(program: &Program, model: &Model) -> BTreeSet<Outcome> {
    let mut alone = program.clone();
    let locations: Vec<Location> = (std::mem::take(&mut alone.finals).iter())
        .map(|&variable| Location { addr: address::GLOBALS + 8 * variable as u64, initial: Value::ZERO })
        .collect();
    let (harness, test) = lower(&alone);
    let options = Options::default();
    let found = check::final_states(&harness, &Question::Test(test), model, &locations, &options);
    let outcomes = found.expect("no limits are set");
    let sorted = outcomes.sorted();
    sorted.iter().map(|values| values.iter().map(|seen| seen.defined().expect("defined")).collect()).collect()
}

fn expected(program: &Program, name: &str, guesses: &[u64]) -> BTreeSet<Outcome> {
    let model = weak::Model::named(name).expect("brute force knows all of them");
    weak::outcomes(program, model, guesses)
}

#[test]
fn the_engine_agrees_with_the_table() {
    let mut wrong = Vec::new();
    for name in MODERN {
        let model = model(name);
        let (mut yes, mut no) = (0, 0);
        for (place, row) in modern_rows() {
            let Some(verdict) = row.verdict(name) else { continue };
            *if verdict { &mut yes } else { &mut no } += 1;
            if Litmus::of(&row).allowed(&model) != verdict {
                let word = if verdict { "yes" } else { "no" };
                wrong.push(format!("{place} on {name}: the table says {word}"));
            }
        }
        assert!(yes > 10 && no > 20, "{name}: {yes} allowed, {no} forbidden");
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Not only on what the tables ask.
#[test]
fn all_outcomes_of_all_rows_agree() {
    let mut wrong = Vec::new();
    for (place, row) in modern_rows().into_iter().chain(rows()) {
        if row.program.starts_threads() {
            continue;
        }
        for name in MODERN {
            let expected = expected(&row.program, name, &row.guesses());
            let found = found(&row.program, &model(name));
            if found != expected {
                let alone = found.difference(&expected).collect::<Vec<_>>();
                let missed = expected.difference(&found).collect::<Vec<_>>();
                wrong
                    .push(format!("{place} on {name}: engine alone {alone:?}, brute force alone {missed:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn random_programs(name: &str) {
    let model = model(name);
    let programs: u64 = std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let first: u64 = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let expected = |program: &Program| expected(program, name, &axioms::guesses(program));
    let differs = |program: &Program| found(program, &model) != expected(program);
    for seed in 0..programs {
        let random = &mut Random::new(1_000_000 * first + seed * 31 + 7);
        let program = match seed % 4 {
            0 => generate::program(random, Size { threads: 2, accesses: 7, partial_fences: true }),
            1 => generate::program(random, Size { threads: 3, accesses: 7, partial_fences: true }),
            2 => cycles::program(random, 2, 7),
            _ => cycles::program(random, 3, 7),
        };
        if differs(&program) {
            let small = generate::shrink(&program, &differs);
            let (found, expected) = (found(&small, &model), expected(&small));
            panic!(
                "{name}, seed {seed}:\n{small}\nbrute force alone: {:?}\nengine alone: {:?}",
                expected.difference(&found).collect::<Vec<_>>(),
                found.difference(&expected).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn rc11_agrees_on_random_programs() {
    random_programs("rc11");
}

#[test]
fn x86_agrees_on_random_programs() {
    random_programs("x86");
}

#[test]
fn armv8_agrees_on_random_programs() {
    random_programs("armv8");
}

#[test]
fn riscv_agrees_on_random_programs() {
    random_programs("riscv");
}

#[test]
fn power_agrees_on_random_programs() {
    random_programs("power");
}
