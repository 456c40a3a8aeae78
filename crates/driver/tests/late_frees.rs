//! Random data types about memory that is freed early and blocks that stop half way: both engines find the same, and the
//! referee accepts what they show.
//!
//! Objects have owners that are counted down, with orders that suffice or do not; atomic and ghost blocks store, loop or
//! wait, and store again. `PROGRAMS` sets how many there are, `SEED` which.

mod common;

use common::session;
use fencepost_bounded::check::{Options, check, observations};
use fencepost_driver::session::Session;
use fencepost_explore::{Buffering, explore};
use fencepost_harness::engine::Finding;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::question::Question;
use fencepost_harness::trace::Trace;
use fencepost_harness::verdict::Reason;
use fencepost_reference::random::{Random, setting};
use fencepost_replay::replay;

const HEAD: &str = "#include <fencepost.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object { int a; int b; atomic_int owners; };
struct object *o, *spare;
atomic_int owners, z;
int x, y, n;
void setup(void)
{
    o = malloc(sizeof *o);
    spare = malloc(sizeof *spare);
    o->a = o->b = spare->a = spare->b = 0;
    o->owners = owners = 2;
    n = 1;
}
";

fn statement(random: &mut Random) -> String {
    let value = random.pick(&["0", "1", "r", "r + 1"]);
    let place = random.pick(&["x", "y", "o->a", "o->b", "spare->a"]);
    let order = random.pick(&["relaxed", "release"]);
    match random.below(12) {
        0..=2 => format!("{place} = {value};"),
        3..=5 => format!("r = {place};"),
        6 => {
            random.pick(&["fence(\"store-store\");", "fence(\"full\");", "fence(\"load-load\");"]).to_owned()
        }
        7 => random
            .pick(&["if (z == 2) free(spare);", "if (x == 2) { struct object *p = o; free(p); }"])
            .to_owned(),
        8 => format!("atomic_store_explicit(&z, 2, memory_order_{order});"),
        9 => format!("fp_atomic {{ {place} = 1; for (int i = 0; i < n; i++) y += i; {place} = {value}; }}"),
        10 => {
            let condition = random.pick(&["z", "x", "y == 0", "r"]);
            format!("fp_atomic {{ x = 1; fp_atomic {{ y = 2; }} assume({condition}); x = y; y = {value}; }}")
        }
        _ => "fp_atomic { x = 1; if (z) { r = x; free(spare); } x = 0; }".to_owned(),
    }
}

/// An owner lets go.
fn put(random: &mut Random) -> String {
    let count = random.pick(&["owners", "owners", "o->owners"]);
    let order = random.pick(&["relaxed", "relaxed", "release", "acq_rel"]);
    format!("if (atomic_fetch_sub_explicit(&{count}, 1, memory_order_{order}) == 1) free(o);")
}

fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_owned();
    for name in ["first", "second"] {
        let count = 1 + random.below(3);
        let mut body: Vec<String> = (0..count).map(|_| statement(random)).collect();
        if !random.one_in(4) {
            body.push(put(random));
        }
        let body = body.join("\n    ");
        text += &format!("int {name}(void)\n{{\n    int r = 0;\n    {body}\n    return r;\n}}\n");
    }
    let shape = random.pick(&["( f | g )", "( f | f )", "( f | g | g )"]);
    text + &format!(
        "#pragma fencepost init setup()\n#pragma fencepost op f = first()\n#pragma fencepost op g = second()\n\
         #pragma fencepost test T = {shape}\n"
    )
}

/// What was found of a program on a model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Fault,
    Nothing,
    /// No execution completes, or something else that leaves nothing to compare.
    Open,
}

fn accept(session: &Session, trace: &Trace, model: &str, who: &str, text: &str) {
    let cat = fencepost_models::builtin(model).expect("it ships");
    if let Err(why) = replay(&session.harness, trace, &cat) {
        panic!("{who} on {model}: {why}\n{text}\n{trace:#?}");
    }
}

fn solve(session: &Session, text: &str, name: &str) -> (Found, Option<ObservationSet>) {
    let Question::Test(test) = &session.questions()[0] else { panic!("there is a test") };
    let model = fencepost_models::builtin(name).expect("it ships");
    let subject = &Question::Test(test.clone());
    let checked = check(&session.harness, subject, &model, None, &Options::default(), &|_| {});
    match checked.finding {
        Finding::Violated { trace, .. } => {
            assert!(trace.fault().is_some(), "{name}\n{text}");
            accept(session, &trace, name, "solver", text);
            (Found::Fault, None)
        }
        Finding::Holds => {
            accept(session, &checked.witness.expect("one is shown"), name, "solver", text);
            let seen = observations(&session.harness, subject, &model, &Options::default());
            (Found::Nothing, Some(seen.unwrap_or_else(|why| panic!("{name}: {why}\n{text}"))))
        }
        Finding::Inconclusive(Reason::Vacuous(_) | Reason::Unroll { .. }) => (Found::Open, None),
        Finding::Inconclusive(reason) => panic!("{name}: {reason}\n{text}"),
    }
}

fn compare(session: &Session, text: &str, name: &str) -> Found {
    let (found, seen) = solve(session, text, name);
    let Some(machine) = Buffering::named(name) else { return found };
    let Question::Test(test) = &session.questions()[0] else { panic!("there is a test") };
    let options = fencepost_explore::Options { buffering: machine, ..Default::default() };
    let subject = &Question::Test(test.clone());
    let explored = explore(&session.harness, subject, None, &options, None, &|_| {});
    match (&explored.finding, found) {
        (Finding::Violated { trace, .. }, Found::Fault) => {
            assert!(trace.fault().is_some(), "{name}\n{text}");
            accept(session, trace, name, "explorer", text);
        }
        (Finding::Holds, Found::Nothing) => {
            let witness = explored.witness.as_ref().expect("an execution completes");
            accept(session, witness, name, "explorer", text);
            assert_eq!(seen.as_ref(), Some(&explored.observations), "{name}\n{text}");
        }
        (Finding::Holds, Found::Open) => {}
        (Finding::Inconclusive(Reason::Vacuous(_)), Found::Open) => {}
        (verdict, _) => panic!("{name}: explored {verdict:?}\n{text}"),
    }
    found
}

#[test]
fn both_engines_agree_on_late_frees_and_blocks_that_stop() {
    let (seed, programs) = (setting("SEED", 1), setting("PROGRAMS", 80));
    println!("SEED={seed} PROGRAMS={programs}");
    let models = ["sc", "tso", "pso", "rmo", "relaxed"];
    // Programs with a fault, without, and those whose faults only a model as weak as this one shows.
    let (mut faults, mut right, mut only) = (0, 0, [0; 5]);
    for number in 0..programs {
        let text = program(&mut Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number)));
        let session = session(&text);
        let mut before = Found::Nothing;
        for (index, model) in models.iter().enumerate() {
            let found = compare(&session, &text, model);
            // What faults on a model faults on the weaker ones.
            assert!(before != Found::Fault || found == Found::Fault, "{model}\n{text}");
            only[index] += (found == Found::Fault && before != Found::Fault) as u64;
            faults += (found == Found::Fault) as u64;
            right += (found == Found::Nothing) as u64;
            before = found;
        }
    }
    println!("{faults} with faults, {right} without; first faults by model: {only:?}");
    assert!(
        !fencepost_reference::random::is_usual() || faults > programs / 4 && right > programs / 4,
        "{faults} with faults, {right} without"
    );
    assert!(
        !fencepost_reference::random::is_usual() || only[2] > 0 && only[3] > 0,
        "no fault needs a late access: {only:?}"
    );
}
