//! What is said of the reorderings behind a counterexample is true: of all that the corpora expect to be
//! violated, and of random programs, with traces of both engines.
//!
//! `PROGRAMS` sets how many random programs there are.

mod common;

use common::{files, load, session};
use fencepost_driver::check::{Decider, Terms, check};
use fencepost_driver::verify::NAME;
use fencepost_explore as explore;
use fencepost_harness::engine::Finding;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::result::Verdict;
use fencepost_harness::trace::{Action, EventId, Explanation, Reordering, Source, Trace};
use fencepost_lsl::value::Value;
use fencepost_models::cat::Model;
use fencepost_reference::generate::{self, Size};
use fencepost_reference::lower::lower;
use fencepost_reference::program::Program;
use fencepost_reference::random::Random;
use fencepost_reference::{axioms, cycles};

fn model(name: &str) -> Model {
    fencepost_models::builtin(name).expect("it ships")
}

/// Everything that an explanation claims. Says whether it has reorderings.
fn is_true(harness: &Harness, trace: &Trace, model: &Model, told: &Explanation, name: &str) -> bool {
    let allows = |model: &Model, kept: &[Reordering]| {
        let refused = fencepost_replay::judge(harness, trace, model, kept).err();
        assert!(refused.as_ref().is_none_or(|why| why.contains("forbids")), "{name}: {refused:?}");
        refused.is_none()
    };
    assert!(allows(model, &[]), "{name}: the model does not allow it");
    let sequential = allows(&self::model("sc"), &[]);
    assert_eq!(told.on_sc, sequential, "{name}: on sc");
    let pairs = &told.reorderings;
    assert_eq!(pairs.is_empty(), sequential, "{name}: reorderings although sc allows it, or none");
    for pair in pairs {
        let (first, second) = (trace.event(pair.first), trace.event(pair.overtook));
        assert!(first.thread == second.thread && pair.first < pair.overtook, "{name}: {pair:?}");
    }
    if !pairs.is_empty() {
        assert!(!allows(model, pairs), "{name}: {pairs:?} do not explain it");
    }
    for left_out in 0..pairs.len() {
        let mut fewer = pairs.clone();
        fewer.remove(left_out);
        assert!(allows(model, &fewer), "{name}: {left_out} of {pairs:?} says nothing");
    }
    order_is_true(trace, told, name);
    !pairs.is_empty()
}

/// The memory order has every access once, shows the reorderings, and explains every value: a load reads the last
/// store in front of it, or one that its own thread has made and memory has not yet seen.
fn order_is_true(trace: &Trace, told: &Explanation, name: &str) {
    let mut place = vec![None; trace.events.len()];
    for (at, id) in told.order.iter().enumerate() {
        assert_eq!(place[id.index()].replace(at), None, "{name}: {id:?} is twice in the order");
    }
    let place = |id: EventId| place[id.index()].unwrap_or_else(|| panic!("{name}: {id:?} is in no order"));
    for pair in &told.reorderings {
        assert!(place(pair.overtook) < place(pair.first), "{name}: {pair:?} do not show in the order");
    }
    for store in &trace.stores {
        place(*store);
    }
    for (index, event) in trace.events.iter().enumerate() {
        let load = EventId(index as u32);
        let Action::Load { addr, from, .. } = &event.action else { continue };
        place(load);
        // What freed memory holds is nobody's store.
        if matches!(event.life, Some(Source::Event(id)) if matches!(trace.event(id).action, Action::Free { .. }))
        {
            continue;
        }
        for part in from {
            let bytes = addr + part.offset..addr + part.offset + part.bytes;
            let writes = |id: &&EventId| match trace.event(**id).action {
                Action::Store { addr, ty, .. } => {
                    trace.stores.contains(id) && addr < bytes.end && bytes.start < addr + ty.bytes()
                }
                Action::Alloc { addr, size, .. } => {
                    trace.stores.contains(id) && addr < bytes.end && bytes.start < addr + size
                }
                _ => false,
            };
            let last = told.order[..place(load)].iter().rfind(writes);
            match part.source {
                Source::Initial => assert_eq!(last, None, "{name}: {load:?}"),
                Source::Event(id) if last == Some(&id) => {}
                Source::Event(id) => {
                    let own = trace.event(id).thread == event.thread && id < load;
                    assert!(
                        own && place(id) > place(load),
                        "{name}: {load:?} reads {id:?}, last is {last:?}"
                    );
                }
            }
        }
    }
}

/// Checks what is expected to be violated in these folders. Returns how many counterexamples had reorderings, and how
/// many there were.
fn corpora(folders: &[&str], terms: &Terms, suited: impl Fn(&str) -> bool) -> (usize, usize) {
    let (mut reordered, mut all) = (0, 0);
    for path in folders.iter().flat_map(|folder| files(folder)) {
        let mut session = load(&path, &[]);
        for expected in session.harness.expectations.clone() {
            let violated = expected.verdict == fencepost_harness::verdict::Kind::Violated;
            if !violated || expected.test == NAME || !suited(&expected.model) {
                continue;
            }
            let subject = session.question(&expected.test).expect("the test exists");
            let model = model(&expected.model);
            let result = check(&session, &subject, &model, terms, &|_| {});
            let Verdict::Violated(example) = &result.verdict else { continue };
            let name = format!("{} {} {}", path.display(), expected.test, expected.model);
            all += 1;
            let judge = if example.serial { self::model("serial") } else { model };
            reordered +=
                usize::from(is_true(&session.harness, &example.trace, &judge, &example.explanation, &name));
        }
    }
    (reordered, all)
}

#[test]
fn counterexamples_of_the_bounded_engine() {
    let folders = ["checkfence", "amp", "blender", "fender"];
    let (reordered, all) = corpora(&folders, &Terms::default(), |_| true);
    println!("{reordered} of {all}");
    assert!(reordered > 20 && reordered < all, "{reordered} of {all}");
}

#[test]
fn counterexamples_of_the_explicit_engine() {
    let budget = fencepost_harness::budget::Budget { states: Some(30_000), ..Default::default() };
    let how = explore::Options { budget, ..Default::default() };
    let terms = Terms { engine: Decider::Explicit(how), ..Terms::default() };
    let folders = ["checkfence", "amp", "blender", "fender"];
    let (reordered, all) = corpora(&folders, &terms, |model| explore::Buffering::named(model).is_some());
    println!("{reordered} of {all}");
    assert!(reordered > 10 && reordered < all, "{reordered} of {all}");
}

/// Each thread says that it is busy and looks whether the other is; if not, one uses the object and one frees it.
const FREED: &str = "
#include <fencepost.h>
#include <stdlib.h>
int *object, busy[2];
void start(void) { object = malloc(4); *object = 7; }
int use(void) { busy[0] = 1; FENCE; return busy[1] ? 7 : *object; }
void end(void) { busy[1] = 1; FENCE; if (!busy[0]) free(object); }
#pragma fencepost init start()
#pragma fencepost op u = use()
#pragma fencepost op e = end()
#pragma fencepost test T = ( u | e )
";

/// The same in ghost state: two threads are inside at once.
const GHOSTS: &str = "
#include <fencepost.h>
#include <assert.h>
int busy[2], inside;
void enter(int me)
{
    busy[me] = 1;
    FENCE;
    if (!busy[1 - me]) {
        fp_ghost { assert(!inside); inside = 1; }
        fp_ghost { inside = 0; }
    }
}
#pragma fencepost op l = enter(0)
#pragma fencepost op r = enter(1)
#pragma fencepost test T = ( l | r )
";

#[test]
fn freed_memory_and_ghosts() {
    let explicit = Terms { engine: Decider::Explicit(explore::Options::default()), ..Terms::default() };
    for (text, models) in [(FREED, &["tso", "pso", "rmo", "relaxed"][..]), (GHOSTS, &["tso", "pso"])] {
        let session = session(&text.replace("FENCE", ""));
        for name in models {
            for terms in [&Terms::default(), &explicit] {
                let result = check(&session, &session.questions()[0], &model(name), terms, &|_| {});
                let Verdict::Violated(example) = &result.verdict else {
                    assert!(explore::Buffering::named(name).is_none(), "{name}: {:?}", result.verdict);
                    continue;
                };
                let told = &example.explanation;
                assert!(is_true(&session.harness, &example.trace, &model(name), told, name), "{name}");
            }
        }
        // With the pairs in order there is nothing to explain.
        let session = common::session(&text.replace("FENCE", "fence(\"store-load\")"));
        let result = check(&session, &session.questions()[0], &model("tso"), &Terms::default(), &|_| {});
        assert_eq!(result.verdict, Verdict::Holds);
    }
}

/// Traces of a random program that sc does not explain, from both engines where both know the model.
fn violations(program: &Program, name: &str) -> (Harness, Vec<Trace>) {
    let (harness, test) = lower(program);
    let mut specification = ObservationSet::default();
    for outcome in axioms::outcomes(program, axioms::Model::Sc, &axioms::guesses(program)) {
        specification.insert(outcome.iter().map(|&bits| Value::new(bits).into()).collect());
    }
    let mut traces = Vec::new();
    let subject = &Question::Test(test.clone());
    let options = fencepost_bounded::check::Options::default();
    let asked = fencepost_bounded::check::check(
        &harness,
        subject,
        &model(name),
        Some(&specification),
        &options,
        &|_| {},
    );
    if let Finding::Violated { trace, .. } = asked.finding {
        traces.push(*trace);
    }
    if let Some(model) = explore::Buffering::named(name) {
        let options = explore::Options { buffering: model, ..Default::default() };
        let subject = &Question::Test(test.clone());
        let found = explore::explore(&harness, subject, Some(&specification), &options, None, &|_| {});
        if let Finding::Violated { trace, .. } = found.finding {
            traces.push(*trace);
        }
    }
    (harness, traces)
}

#[test]
fn random_programs() {
    let programs: u64 = std::env::var("PROGRAMS").map_or(60, |text| text.parse().expect("a number"));
    let mut lengths = std::collections::BTreeMap::<usize, usize>::new();
    for name in ["tso", "pso", "rmo", "relaxed", "x86", "armv8", "riscv"] {
        for seed in 0..programs {
            let threads = 2 + (seed % 3) as usize;
            let size = Size { threads, accesses: 8, partial_fences: true };
            let random = &mut Random::new(seed + 7_000_000);
            for program in [generate::program(random, size), cycles::program(random, threads, 8)] {
                let (harness, traces) = violations(&program, name);
                for trace in traces {
                    let model = model(name);
                    let told = fencepost_replay::replay(&harness, &trace, &model).expect("it replays");
                    let name = format!("{name}, seed {seed}\n{program}\n{trace:#?}\n");
                    assert!(
                        is_true(&harness, &trace, &model, &told, &name),
                        "{name}: sc does not explain it"
                    );
                    *lengths.entry(told.reorderings.len()).or_default() += 1;
                }
            }
        }
    }
    println!("explanations, by how many reorderings they have: {lengths:?}");
    assert!(
        !fencepost_reference::random::is_usual() || lengths.contains_key(&1) && lengths.contains_key(&2),
        "{lengths:?}"
    );
}
