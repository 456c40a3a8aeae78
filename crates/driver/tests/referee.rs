//! The referee refuses: good traces of both engines are tampered with in every way there is, and each is refused for a
//! reason that fits.
//!
//! Every reason is expected at least once, so that a referee which has lost one of its checks is noticed; which tampering
//! each check answers to stands in the table of [`KINDS`].

#[path = "referee/programs.rs"]
mod programs;
#[path = "referee/tamper.rs"]
mod tamper;

mod common;

use common::session as load;
use fencepost_bounded::check::{Options, check};
use fencepost_driver::session::Session;
use fencepost_explore::{Buffering, explore};
use fencepost_harness::budget::{Exhausted, Poll};
use fencepost_harness::engine::Finding;
use fencepost_harness::question::Question;
use fencepost_harness::trace::Trace;
use fencepost_replay::{Refusal, asked, replay, replay_until};
use programs::PROGRAMS;
use std::collections::BTreeMap;
use tamper::KINDS;

/// A trace that the referee accepts, and where it comes from.
struct Good {
    from: String,
    session: usize,
    model: String,
    trace: Trace,
}

/// Traces of both engines: counterexamples where there are any, else executions that complete.
fn traces(number: usize, session: &Session) -> Vec<Good> {
    let (name, _, reuse, models) = PROGRAMS[number];
    let mut found = Vec::new();
    for &model in models {
        let cat = fencepost_models::builtin(model).expect("it ships");
        let mut add = |engine: &str, trace: Trace| {
            if let Err(why) = replay(&session.harness, &trace, &cat) {
                panic!("{name} by {engine} on {model}: {why}\n{trace:#?}");
            }
            found.push(Good {
                from: format!("{name} by {engine} on {model}"),
                session: number,
                model: model.into(),
                trace,
            });
        };
        let subject = session.questions().remove(0);
        let mut options = Options::default();
        options.unroll.reuse = reuse;
        let checked = check(&session.harness, &subject, &cat, None, &options, &|_| {});
        match checked.finding {
            Finding::Violated { trace, .. } => add("solver", *trace),
            Finding::Holds => add("solver", *checked.witness.expect("one is shown")),
            Finding::Inconclusive(reason) => panic!("{name} on {model}: {reason}"),
        }
        let Some(machine) = Buffering::named(model).filter(|machine| !reuse || *machine == Buffering::Sc)
        else {
            continue;
        };
        let options = fencepost_explore::Options { buffering: machine, reuse, ..Default::default() };
        let exploration = explore(&session.harness, &subject, None, &options, None, &|_| {});
        match exploration.finding {
            Finding::Violated { trace, .. } => add("explorer", *trace),
            Finding::Holds => add("explorer", *exploration.witness.expect("an execution completes")),
            Finding::Inconclusive(reason) => panic!("{name} explored on {model}: {reason}"),
        }
    }
    found
}

#[test]
fn tampered_traces_are_refused_for_the_right_reason() {
    let sessions: Vec<Session> = PROGRAMS.iter().map(|(_, text, ..)| load(text)).collect();
    let good: Vec<Good> =
        sessions.iter().enumerate().flat_map(|(number, session)| traces(number, session)).collect();
    let mut wrong: Vec<String> = Vec::new();
    for kind in KINDS {
        let mut reasons: BTreeMap<&str, usize> = kind.reasons.iter().map(|reason| (*reason, 0)).collect();
        for Good { from, session, model, trace } in &good {
            let (harness, model) =
                (&sessions[*session].harness, fencepost_models::builtin(model).expect("it ships"));
            for bad in (kind.tamper)(trace) {
                let Err(why) = replay(harness, &bad, &model) else {
                    wrong.push(format!("{}: {from} is accepted", kind.name));
                    println!("{}: {from} is accepted\n{trace:#?}\n{bad:#?}", kind.name);
                    continue;
                };
                let mut known = kind.reasons.iter().chain(kind.also);
                let Some(reason) = known.find(|reason| why.contains(**reason)) else {
                    wrong.push(format!("{}: {from} is refused since {why}", kind.name));
                    continue;
                };
                *reasons.entry(reason).or_default() += 1;
            }
        }
        println!("{}: {reasons:?}", kind.name);
        let unused = reasons.iter().filter(|(_, count)| **count == 0);
        wrong.extend(unused.map(|(reason, _)| format!("{}: nothing is refused since {reason}", kind.name)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a weak model allows, a strong one refuses.
#[test]
fn executions_of_weak_models_are_refused_on_strong_ones() {
    let mut refused = 0;
    for (number, (name, text, ..)) in PROGRAMS.iter().enumerate() {
        if !["values", "owners"].contains(name) {
            continue;
        }
        let session = load(text);
        let sc = fencepost_models::builtin("sc").expect("it ships");
        for Good { from, trace, model, .. } in traces(number, &session) {
            let Err(why) = replay(&session.harness, &trace, &sc) else { continue };
            assert!(why.contains("`memory-order` is broken") && model != "sc", "{from}: {why}");
            refused += 1;
        }
    }
    assert!(refused > 1, "only {refused} executions need a weak model");
}

/// A trace of something else than was asked is refused, though it may well be an execution.
#[test]
fn what_was_not_asked_is_refused() {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (number, (name, text, ..)) in PROGRAMS.iter().enumerate() {
        let session = load(text);
        let subject = session.questions().remove(0);
        for Good { from, trace, .. } in traces(number, &session) {
            assert_eq!(asked(&session.harness, subject.test(), &trace), Ok(()), "{from}");
            for bad in not_asked(&trace, subject.test().is_some()) {
                let Err(why) = asked(&session.harness, subject.test(), &bad) else {
                    panic!("{name}: {from} is taken for what was asked\n{bad:#?}");
                };
                let why = why.replace(|c: char| c.is_ascii_digit(), "N");
                *reasons.entry(why).or_default() += 1;
            }
        }
    }
    for expected in [
        "the trace has no thread",
        "the first thread does not run `main`",
        "the trace has more threads than the test",
        "a thread makes more calls than the test",
        "call N of the test is another operation",
        "call N of the test has arguments that it does not leave open",
    ] {
        assert!(reasons.contains_key(expected), "nothing is refused since {expected}: {reasons:#?}");
    }
}

/// Traces with other calls.
fn not_asked(trace: &Trace, test: bool) -> Vec<Trace> {
    let changed = |change: &dyn Fn(&mut Trace)| {
        let mut bad = trace.clone();
        change(&mut bad);
        bad
    };
    let mut all = vec![changed(&|bad| bad.threads.clear())];
    for thread in 0..trace.threads.len() {
        for call in 0..trace.threads[thread].calls.len() {
            let made = &trace.threads[thread].calls[call];
            if thread > 0 && !test {
                continue;
            }
            all.push(changed(&|bad| bad.threads[thread].calls.push(made.clone())));
            if let Some((op, number)) = made.op {
                all.push(changed(&|bad| bad.threads[thread].calls[call].op = Some((op, number + 1))));
                all.push(changed(&|bad| bad.threads[thread].calls[call].op = None));
                for arg in 0..made.args.len() {
                    all.push(changed(&|bad| {
                        bad.threads[thread].calls[call].args[arg] = fencepost_lsl::value::Value::new(77);
                    }));
                }
            }
        }
        if trace.threads[thread].start == fencepost_harness::trace::Start::AfterFirst {
            all.push(changed(&|bad| bad.threads.push(trace.threads[thread].clone())));
        }
    }
    all
}

/// A referee who is told to stop says so, and nothing else.
#[test]
fn the_referee_stops_when_told() {
    let text =
        "int x, a[4]; int main(void) { for (int i = 0; i < 3000; i++) { x++; a[i & 3] = x; } return 0; }";
    let session = load(text);
    let Question::Main(main) = session.questions().remove(0) else { panic!("there is a main") };
    let sc = fencepost_models::builtin("sc").expect("it ships");
    let options = Options::default();
    let subject = &Question::Main(main);
    let checked = check(&session.harness, subject, &sc, None, &options, &|_| {});
    let witness = checked.witness.expect("it holds");
    assert!(replay(&session.harness, &witness, &sc).is_ok());
    // However far it gets before: in the threads, the sources, or the explanation.
    for patience in [0, 10, 60] {
        let asked = std::cell::Cell::new(0);
        let stop = || (asked.replace(asked.get() + 1) >= patience).then_some(Exhausted::Time);
        let cut = replay_until(&session.harness, &witness, &sc, &Poll::asking(&stop));
        assert_eq!(cut.unwrap_err(), Refusal::Cut(Exhausted::Time), "after {patience} questions");
        assert_eq!(asked.get(), patience + 1, "it goes on after it was told to stop");
    }
}
