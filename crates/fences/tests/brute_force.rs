//! Inference against trying all placements: each is put into the program and checked on its own, without
//! switches. The minimal ones that hold must be just those that inference finds, in order of cost.

use fencepost_bounded::check::{self, Options};
use fencepost_bounded::switched::Switched;
use fencepost_c::load_with;
use fencepost_fences::cost::Costs;
use fencepost_fences::guided::{self, Effort, Searched};
use fencepost_fences::place::{keep_within, resolve};
use fencepost_harness::budget::{Budget, Poll};
use fencepost_harness::engine::Finding;
use fencepost_harness::mine::{Mined, mine};
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{Placement, SlotId, Switch};

/// Two threads and what must not hold when they are done.
fn closed(one: &str, two: &str, never: &str) -> String {
    format!(
        "#include <assert.h>
#include <pthread.h>
int x, y, a, b;
void *one(void *p) {{ {one} return 0; }}
void *two(void *p) {{ {two} return 0; }}
int main(void)
{{
    pthread_t s, t;
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(!({never}));
    return 0;
}}
"
    )
}

const MESSAGE: &str = "int data, flag;
void send(void) { data = 1; flag = 1; }
int receive(void) { int f = flag; if (f) { return data; } return 7; }
#pragma fencepost op s = send()
#pragma fencepost op r = receive()
#pragma fencepost test T = ( s | r )
";

const SPIN: &str = "#include <assert.h>
#include <pthread.h>
int data, flag, done;
void *sender(void *p) { data = 1; flag = 1; return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
    while (!flag)
        ;
    assert(data == 1);
    return 0;
}
";

/// The choices of some kinds that are made of a few switches, in the order of numbers in base two.
fn subsets(switches: &[Switch]) -> impl Iterator<Item = Placement> + '_ {
    assert!(switches.len() <= 14, "{} switches are too many to try all", switches.len());
    (0..1u32 << switches.len()).map(|bits| {
        let on = switches.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        on.map(|(_, switch)| *switch).collect()
    })
}

fn load(text: &str) -> Harness {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).expect("it can be written");
    match load_with(&path, &[], fencepost_c::Options { slots: true }) {
        Ok((harness, _)) => harness,
        Err(rejected) => panic!("{text}\n{:#?}", rejected.diagnostics),
    }
}

/// Compares inference with trying all, in functions `within` only; returns how many minimal placements
/// there are and what the cheapest costs.
fn compare(text: &str, model: &str, kinds: &[&str], within: &[&str]) -> (usize, u64) {
    let mut harness = load(text);
    let model = fencepost_models::builtin(model).expect("it ships");
    let kinds: Vec<FenceKind> = kinds.iter().map(|name| FenceKind::named(name).expect("a kind")).collect();
    // Slots elsewhere are taken out, so that all placements can be tried.
    let within: Vec<String> = within.iter().map(|name| (*name).to_owned()).collect();
    assert!(keep_within(&mut harness.program, &within).is_empty());
    let is_left = |slot: &usize| within.contains(&harness.program.slots[*slot].function);
    let mined =
        harness.tests.first().map(|test| mine(&harness, test, &Poll::never()).expect("nobody stops it"));
    let specification = match &mined {
        Some(Mined::Specification { observations, .. }) => Some(observations),
        _ => None,
    };
    let subject = &match harness.tests.first() {
        Some(test) => Question::Test(test.clone()),
        None => Question::Main(harness.main.expect("a test or `main`")),
    };
    let plain = Options::default();
    let price = Costs::default();
    let all = &harness.program.slots;
    let costs: Vec<Vec<u64>> =
        all.iter().map(|slot| kinds.iter().map(|kind| price.of(*kind, slot)).collect()).collect();
    let cost = |placement: &Placement| -> u64 {
        placement.iter().map(|switch| price.of(switch.kind, &all[switch.slot.index()])).sum()
    };

    // All of them.
    let slots = (0..harness.program.slots.len()).filter(is_left);
    let switches: Vec<Switch> = slots
        .flat_map(|slot| kinds.iter().map(move |&kind| Switch { slot: SlotId(slot as u32), kind }))
        .collect();
    let mut right: Vec<Placement> = Vec::new();
    for placement in subsets(&switches) {
        let program = resolve(&harness.program, &placement);
        let harness = Harness { program, ..harness.clone() };
        let outcome = check::check(&harness, subject, &model, specification, &plain, &|_| {});
        match outcome.finding {
            Finding::Holds => right.push(placement),
            Finding::Violated { .. } => {}
            Finding::Inconclusive(reason) => panic!("{reason}"),
        }
    }
    let minimal = right.iter().filter(|a| !right.iter().any(|b| b != *a && b.is_subset(a)));
    let mut minimal: Vec<(u64, Placement)> = minimal.map(|p| (cost(p), p.clone())).collect();
    minimal.sort();

    // Those that are inferred.
    let mut options = Options::default();
    options.unroll.fences = kinds.clone();
    let mut questions = [Switched::new(&harness, subject, &model, specification, &options, &|_| {})];
    let budget = &Budget::default();
    let search =
        guided::Options { kinds: &kinds, costs: &costs, limit: usize::MAX, budget, progress: &|_| {} };
    let outcome = guided::infer(&mut questions, &search, &mut Effort::default());
    match outcome.map_err(|(_, reason)| reason) {
        Ok(Searched::Placements { found, complete: true }) => {
            assert!(found.is_sorted_by_key(|found| found.cost));
            let mut found: Vec<_> = found.into_iter().map(|f| (f.cost, f.placement)).collect();
            found.sort();
            assert_eq!(found, minimal);
        }
        Ok(Searched::Hopeless { .. }) => assert_eq!(minimal, []),
        other => panic!("{other:?}"),
    }
    (minimal.len(), minimal.first().map_or(0, |(cost, _)| *cost))
}

#[test]
fn store_buffering() {
    let within = ["one", "two"];
    let text = closed("x = 1; a = y;", "y = 1; b = x;", "a == 0 && b == 0");
    for model in ["tso", "pso", "rmo", "relaxed"] {
        // In each thread between its accesses, and nowhere else.
        assert_eq!(compare(&text, model, &["store-load"], &within), (1, 8), "{model}");
        compare(&text, model, &["full"], &within);
    }
    assert_eq!(compare(&text, "sc", &["full"], &within), (1, 0));
    assert_eq!(compare(&text, "tso", &["store-load", "seq_cst"], &within), (4, 8));
}

#[test]
fn message_passing() {
    let within = ["send", "receive"];
    assert_eq!(compare(MESSAGE, "tso", &["store-store"], &within), (1, 0));
    assert_eq!(compare(MESSAGE, "pso", &["store-store"], &within).1, 1);
    let typed = ["load-load", "store-store"];
    let (count, cost) = compare(MESSAGE, "rmo", &typed, &within);
    assert!(count >= 1 && cost == 2, "{count} placements, {cost}");
    compare(MESSAGE, "relaxed", &typed, &within);
    // Without the kind that the receiver needs, nothing helps.
    assert_eq!(compare(MESSAGE, "relaxed", &["store-store"], &within), (0, 0));
}

#[test]
fn load_buffering() {
    let within = ["one", "two"];
    let text = closed("a = x; y = 1;", "b = y; x = 1;", "a == 1 && b == 1");
    assert_eq!(compare(&text, "pso", &["load-store"], &within), (1, 0));
    let (_, cost) = compare(&text, "rmo", &["load-store"], &within);
    assert_eq!(cost, 2, "one in each thread");
    compare(&text, "relaxed", &["release"], &within);
}

#[test]
fn a_loop_that_waits() {
    let (_, cost) = compare(SPIN, "pso", &["release"], &["sender", "main"]);
    assert_eq!(cost, 1);
    let (count, cost) = compare(SPIN, "relaxed", &["acq_rel"], &["sender", "main"]);
    // The fence of the reader stands behind the loop, not in it.
    assert!(count >= 1 && cost == 4, "{count} placements, {cost}");
}
