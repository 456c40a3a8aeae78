//! Litmus tests: the explicit engine says the same of every row of `corpus/litmus` as the table does, and the
//! execution it shows is accepted by the referee. All outcomes of a row are those of the axioms.

use fencepost_explore::{Buffering, Options, Reductions, Search, explore};
use fencepost_harness::engine::Finding;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_reference::axioms;
use fencepost_reference::litmus::Row;
use fencepost_reference::litmus::corpus::rows;
use fencepost_reference::lower::{self, Entry, lower};
use fencepost_reference::program::Outcome;
use std::collections::BTreeSet;

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

fn options(model: &str) -> Options {
    Options { buffering: Buffering::named(model).expect("it is a machine"), ..Options::default() }
}

/// Whether an execution completes, in a program that does so only with the outcome asked about.
fn allowed(harness: &Harness, entry: &Entry, place: &str, model: &str, options: &Options) -> bool {
    let subject = match entry {
        Entry::Test(test) => Question::Test(test.clone()),
        Entry::Main(proc) => Question::Main(*proc),
    };
    let found = explore(harness, &subject, None, options, None, &|_| {});
    match found.finding {
        Finding::Holds => {
            let trace = found.witness.expect("an execution completes");
            let cat = fencepost_models::builtin(model).expect("it ships");
            if let Err(why) = fencepost_replay::replay(harness, &trace, &cat) {
                panic!("{place} on {model}: {why}\n{trace:#?}");
            }
            true
        }
        Finding::Inconclusive(Reason::Vacuous(_)) => false,
        other => panic!("{place} on {model}: {other:?}"),
    }
}

fn compare(make: impl Fn(&str) -> Options) {
    let mut wrong = Vec::new();
    for model in MODELS {
        let (mut yes, mut no) = (0, 0);
        for (place, row) in &rows() {
            let Row { program, wanted, .. } = row;
            let verdict = row.verdict(model).expect("the tables know all models");
            let (harness, entry) = lower::ask(program, wanted);
            *if verdict { &mut yes } else { &mut no } += 1;
            if allowed(&harness, &entry, place, model, &make(model)) != verdict {
                wrong.push(format!("{place} on {model}: the table says {verdict}"));
            }
        }
        assert!(yes > 0 && no > 0, "{model}: {yes} allowed, {no} forbidden");
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_tables_agree() {
    compare(options);
}

#[test]
fn breadth_first_agrees() {
    compare(|model| Options { search: Search::Breadth, ..options(model) });
}

#[test]
fn without_reductions_the_tables_agree() {
    let reductions = Reductions::NONE;
    compare(|model| Options { reductions, ..options(model) });
}

/// Not only on what the tables ask.
#[test]
fn all_outcomes_agree() {
    let mut compared = 0;
    for (place, row) in rows() {
        if row.program.starts_threads() {
            continue;
        }
        let (harness, test) = lower(&row.program);
        for model in MODELS {
            let found =
                explore(&harness, &Question::Test(test.clone()), None, &options(model), None, &|_| {});
            assert_eq!(found.finding, Finding::Holds, "{place} on {model}");
            let outcomes: BTreeSet<Outcome> = found
                .observations
                .sorted()
                .iter()
                .map(|observation| observation.iter().map(|seen| seen.defined().expect("defined")).collect())
                .collect();
            let reference = axioms::Model::named(model).expect("the reference knows it");
            let expected = axioms::outcomes(&row.program, reference, &row.guesses());
            assert_eq!(outcomes, expected, "{place} on {model}\n{}", row.program);
            compared += 1;
        }
    }
    assert!(compared > 0);
}
