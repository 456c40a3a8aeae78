//! Random programs with the control flow of C, by brute force and by both engines: the same observations, the same
//! failures. `PROGRAMS` sets how many there are, `SEED` which.
//!
//! Bounds are part of the bargain: where the bounded engine cannot say, it must say so.

mod common;

use common::session;
use fencepost_bounded::check::{Options, check, observations};
use fencepost_driver::check::leeway;
use fencepost_driver::session::Session;
use fencepost_explore::{Buffering, explore};
use fencepost_harness::engine::Finding;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::value::Value;
use fencepost_reference::random::{Random, setting};
use fencepost_reference::structured::random::program;
use fencepost_reference::structured::{self, Machine, Outcomes, Stmt, text};

/// States of brute force beyond which a program is left out.
const STATES: usize = 20_000;

/// Bounds within which a program that does not end is given up soon.
fn small(model: &fencepost_models::cat::Model) -> Options {
    let mut options = Options { max_unroll: 8, ..Options::default() };
    options.unroll.max_statements = 20_000;
    options.unroll.leeway = leeway(&[model]);
    options
}

/// How programs fared.
#[derive(Default, Debug)]
struct Tally {
    /// Brute force had too many states.
    large: u32,
    /// An assertion can fail, and both engines say so.
    failing: u32,
    /// All three have the same observations.
    alike: u32,
    /// No execution completes.
    stuck: u32,
    /// Both have the same, and the bounded engine ran into its bound.
    unbounded: u32,
}

/// The observations of a test whose operations return their registers, two bits each.
fn observed(outcomes: &Outcomes) -> ObservationSet {
    let mut set = ObservationSet::default();
    for end in &outcomes.ends {
        let word =
            |registers: &[u8; 3]| registers.iter().rev().fold(0, |word, value| word << 2 | u64::from(*value));
        set.insert(end.iter().map(|registers| Value::new(word(registers)).into()).collect());
    }
    set
}

fn compare(session: &Session, threads: &[Vec<Stmt>], text: &str, name: &str, tally: &mut Tally) {
    let machine = match name {
        "sc" => Machine::Sc,
        "tso" => Machine::Tso,
        _ => Machine::Pso,
    };
    let Some(outcomes) = structured::explore(threads, machine, STATES) else {
        tally.large += 1;
        return;
    };
    let subject = session.questions().remove(0);
    let Question::Test(test) = &subject else { panic!("there is a test") };
    let model = fencepost_models::builtin(name).expect("it ships");
    let options = fencepost_explore::Options {
        buffering: Buffering::named(name).expect("it has buffers"),
        ..Default::default()
    };
    let asked = &Question::Test(test.clone());
    let explored = explore(&session.harness, asked, None, &options, None, &|_| {});
    let options = small(&model);
    let solved = || observations(&session.harness, &Question::Test(test.clone()), &model, &options);
    let checked = check(&session.harness, &Question::Test(test.clone()), &model, None, &options, &|_| {});
    let wrong = |what: &str| panic!("{name}: {what}\nbrute force: {outcomes:?}\n{text}");
    if outcomes.fails {
        match (&explored.finding, &checked.finding) {
            (Finding::Violated { .. }, Finding::Violated { .. }) => tally.failing += 1,
            (
                Finding::Violated { .. },
                Finding::Inconclusive(Reason::Unroll { .. } | Reason::TooLong { .. }),
            ) => tally.unbounded += 1,
            // Each may run into a limit of its own.
            (
                Finding::Inconclusive(Reason::Unsupported(_)),
                Finding::Violated { .. }
                | Finding::Inconclusive(Reason::Unroll { .. } | Reason::TooLong { .. }),
            ) => tally.unbounded += 1,
            other => wrong(&format!("{other:?}")),
        }
        return;
    }
    match &explored.finding {
        Finding::Holds => {}
        Finding::Inconclusive(Reason::Vacuous(_)) if outcomes.ends.is_empty() => {}
        other => wrong(&format!("explicit: {other:?}")),
    }
    let expected = observed(&outcomes);
    if explored.observations != expected {
        wrong(&format!("explicit: {:?}", explored.observations));
    }
    match &checked.finding {
        Finding::Holds if checked.ends == outcomes.ends.is_empty() => {
            wrong(&format!("bounded: executions end: {}", checked.ends));
        }
        Finding::Holds if !checked.ends => tally.stuck += 1,
        Finding::Holds => {
            if solved().as_ref() != Ok(&expected) {
                wrong(&format!("bounded: {:?}", solved()));
            }
            tally.alike += 1;
        }
        Finding::Inconclusive(Reason::Unroll { .. } | Reason::TooLong { .. }) => tally.unbounded += 1,
        Finding::Inconclusive(Reason::Vacuous(_)) if outcomes.ends.is_empty() => tally.stuck += 1,
        other => wrong(&format!("bounded: {other:?}")),
    }
}

#[test]
fn brute_force_and_both_engines_agree_on_random_control_flow() {
    let (seed, programs) = (setting("SEED", 1), setting("PROGRAMS", 80));
    println!("SEED={seed} PROGRAMS={programs}");
    let mut tally = Tally::default();
    for number in 0..programs {
        let threads = program(&mut Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number)));
        let text = text::data_type(&threads);
        let session = session(&text);
        for model in ["sc", "tso", "pso"] {
            compare(&session, &threads, &text, model, &mut tally);
        }
    }
    println!("{tally:?}");
    let enough = |count: u32| u64::from(count) * 20 > programs;
    assert!(
        !fencepost_reference::random::is_usual()
            || enough(tally.failing) && enough(tally.alike) && enough(tally.stuck),
        "{tally:?}"
    );
}
