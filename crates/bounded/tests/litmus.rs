//! Litmus tests: each row of `corpus/litmus` says whether an outcome is allowed on each model that ships.
//! The table was written from the models' definitions. The engine, the axioms by brute force, and store
//! buffers where they apply must all say the same.

mod ask;

use ask::Litmus;
use fencepost_bounded::Location;
use fencepost_bounded::check::{self, Options};
use fencepost_harness::question::Question;
use fencepost_lsl::program::address;
use fencepost_lsl::value::Value;
use fencepost_reference::axioms::{self, Model};
use fencepost_reference::buffers::{self, Machine};
use fencepost_reference::litmus::Row;
use fencepost_reference::litmus::corpus::rows;
use fencepost_reference::lower::lower;
use fencepost_reference::program::Outcome;
use std::collections::{BTreeSet, HashSet};

/// Compares every verdict of the tables on some models with what `allowed` finds, if it knows the row.
/// Both verdicts must be among those compared on each model.
fn compare(models: &[&str], allowed: impl Fn(&Row, &str) -> Option<bool>) {
    let mut wrong = Vec::new();
    let rows = rows();
    for model in models {
        let (mut yes, mut no) = (0, 0);
        for (place, row) in &rows {
            let verdict = row.verdict(model).unwrap_or_else(|| panic!("{place}: no verdict on {model}"));
            let Some(found) = allowed(row, model) else { continue };
            *if verdict { &mut yes } else { &mut no } += 1;
            if found != verdict {
                let word = |allowed| if allowed { "yes" } else { "no" };
                wrong.push(format!("{place} on {model}: {}, the table says {}", word(found), word(verdict)));
            }
        }
        println!("{model}: {yes} allowed, {no} forbidden, of {}", rows.len());
        assert!(yes > 0 && no > 0, "{model}: {yes} allowed, {no} forbidden");
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn names_are_unique() {
    let mut names = HashSet::new();
    for (place, row) in rows() {
        assert!(names.insert(row.name), "{place}: the name stands in another table too");
    }
}

/// Also replays every execution that the engine finds.
#[test]
fn the_engine_agrees() {
    compare(fencepost_models::ALL, |row, name| {
        let model = fencepost_models::builtin(name).expect("it ships");
        Some(Litmus::of(row).allowed(&model))
    });
}

#[test]
fn the_axioms_agree() {
    compare(fencepost_models::ALL, |row, model| {
        let model = Model::named(model).expect("the reference knows all models that ship");
        Some(axioms::outcomes(&row.program, model, &row.guesses()).iter().any(|outcome| row.matches(outcome)))
    });
}

#[test]
fn store_buffers_agree() {
    compare(&["sc", "tso", "pso"], |row, model| {
        let machine = match model {
            "sc" => Machine::Sc,
            "tso" => Machine::Tso,
            _ => Machine::Pso,
        };
        let knows = machine.knows(&row.program);
        knows.then(|| buffers::outcomes(&row.program, machine).iter().any(|outcome| row.matches(outcome)))
    });
}

/// Not only on what the tables ask: all outcomes of every row are the same to the engine and the axioms.
#[test]
fn all_outcomes_agree() {
    let mut compared = 0;
    for (place, row) in rows() {
        if row.program.starts_threads() {
            continue;
        }
        let (harness, test) = lower(&row.program);
        for name in fencepost_models::ALL.iter().chain(&["rlx"]) {
            let model = fencepost_models::builtin(name).expect("it ships");
            let found =
                check::observations(&harness, &Question::Test(test.clone()), &model, &Options::default());
            let found: BTreeSet<Outcome> = found
                .expect("no limits are set")
                .sorted()
                .iter()
                .map(|observation| observation.iter().map(|seen| seen.defined().expect("defined")).collect())
                .collect();
            let reference = Model::named(name).expect("the reference knows all of them");
            let expected = axioms::outcomes(&row.program, reference, &row.guesses());
            assert_eq!(found, expected, "{place} on {name}\n{}", row.program);
            compared += 1;
        }
    }
    assert!(compared > 0);
}

/// Executions of rmo that rlx does not have: the referee refuses each of them.
#[test]
fn the_referee_knows_rlx() {
    let (rmo, rlx) = (
        fencepost_models::builtin("rmo").expect("it ships"),
        fencepost_models::builtin("rlx").expect("it ships"),
    );
    let mut refused = 0;
    for (place, row) in rows() {
        let question = Litmus::of(&row);
        let Some(trace) = question.execution(&rmo) else { continue };
        if !question.allowed(&rlx) {
            assert!(question.replay(&trace, &rlx).is_err(), "{place}");
            refused += 1;
        }
    }
    assert!(refused > 10, "{refused}");
}

/// What memory holds in the end is the same to coherence and to a thread that waits for all others.
#[test]
fn final_values_agree() {
    let mut compared = 0;
    for (place, row) in rows() {
        if row.program.starts_threads() || row.program.finals.is_empty() {
            continue;
        }
        let (harness, test) = lower(&row.program);
        let mut alone = row.program.clone();
        let locations: Vec<Location> = (std::mem::take(&mut alone.finals).iter())
            .map(|&variable| Location { addr: address::GLOBALS + 8 * variable as u64, initial: Value::ZERO })
            .collect();
        let (smaller, calls) = lower(&alone);
        for name in fencepost_models::ALL {
            let model = fencepost_models::builtin(name).expect("it ships");
            let options = Options::default();
            let seen = check::observations(&harness, &Question::Test(test.clone()), &model, &options);
            let question = Question::Test(calls.clone());
            let found = check::final_states(&smaller, &question, &model, &locations, &options);
            assert_eq!(found, seen, "{place} on {name}\n{}", row.program);
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}
