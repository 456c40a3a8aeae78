//! Fences that are inferred for the data types of `corpus/fender`, as the paper reports them.

use fencepost_c::Options;
use fencepost_explore::rlx::rules::Rules;
use fencepost_fences::constraints::Kind;
use fencepost_fences::rlx::{Goal, Inference, Limits, Standing, infer};
use fencepost_harness::operation::Harness;
use fencepost_harness::test;
use fencepost_lsl::source::FileId;
use std::collections::BTreeSet;
use std::path::Path;

fn load(file: &str) -> Harness {
    load_with(file, &[])
}

fn load_with(file: &str, arguments: &[String]) -> Harness {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/fender").join(file);
    match fencepost_c::load_with(&path, arguments, Options { slots: true }) {
        Ok((harness, _)) => harness,
        Err(rejected) => panic!("{file}: {:?}", rejected.diagnostics),
    }
}

/// What is inferred from these tests.
fn inferred(harness: &Harness, model: &str, tests: &[&str]) -> Inference {
    let parse = |text: &&str| match test::parse(harness, text, text, FileId(0), 0) {
        Ok(test) => Goal::Test(test),
        Err(why) => panic!("{text}: {}", why.message),
    };
    let goals: Vec<Goal> = tests.iter().map(parse).collect();
    let rules = Rules::named(model).expect("it is a machine");
    let found = infer(harness, &goals, rules, &Limits::default(), &|_| 1);
    let found = found.unwrap_or_else(|why| panic!("{model} {tests:?}: {why}"));
    println!("{model} {tests:?}: {:?} states", found.states);
    orderings(harness, &found).iter().for_each(|set| println!("  {set:?}"));
    found
}

/// An ordering for people: `take [bottom = b < t = top]`.
fn orderings(harness: &Harness, found: &Inference) -> Vec<BTreeSet<String>> {
    let sources = &harness.program.sources;
    let line = |label: u32| {
        let label = &found.accesses[label as usize];
        format!("{}: {}", label.function, sources.line(label.span))
    };
    let name = |ordering: &fencepost_fences::constraints::Ordering| {
        format!("{} < {}", line(ordering.before), line(ordering.after))
    };
    found.orderings.iter().map(|set| set.iter().map(name).collect()).collect()
}

/// The cheapest placements: functions and kinds.
fn cheapest(harness: &Harness, found: &Inference) -> BTreeSet<Vec<(String, Kind)>> {
    let least = found.placements[0].cost;
    let fences = |placement: &fencepost_fences::rlx::Placement| {
        let function = |place: u32| harness.program.slots[place as usize].function.clone();
        let mut fences: Vec<(String, Kind)> =
            placement.fences.iter().map(|fence| (function(fence.place), fence.kind)).collect();
        fences.sort();
        fences
    };
    found.placements.iter().filter(|placement| placement.cost == least).map(fences).collect()
}

#[test]
fn queue_needs_nothing_on_tso() {
    let found = inferred(&load("msn-unfenced.c"), "tso", &["( e e | d d )", "e ( e d | d e )"]);
    assert_eq!(found.orderings, [Vec::new()]);
}

#[test]
fn queue_needs_one_fence_on_pso() {
    let harness = load("msn-unfenced.c");
    let found = inferred(&harness, "pso", &["( e e | d d )", "e ( e d | d e )"]);
    // Sets of two constraints, as in the paper: both stores to the new node come before it is seen.
    assert!(found.orderings.iter().all(|set| set.len() == 2), "{:?}", found.orderings);
    assert_eq!(found.placements[0].fences.len(), 1);
    assert_eq!(found.standing, Standing::Holds);
    assert!(found.is_complete());
    assert!(cheapest(&harness, &found).contains(&vec![("enqueue".into(), Kind::StoreStore)]));
}

#[test]
fn queue_needs_three_fences_on_rmo() {
    let harness = load("msn-unfenced.c");
    let found = inferred(&harness, "rmo", &["( e | d )", "( d' | e' d' )"]);
    assert_eq!(found.placements[0].fences.len(), 3);
    let wanted = vec![
        ("dequeue".to_owned(), Kind::LoadLoad),
        ("dequeue".to_owned(), Kind::LoadLoad),
        ("enqueue".to_owned(), Kind::StoreStore),
    ];
    assert!(cheapest(&harness, &found).contains(&wanted), "{:?}", cheapest(&harness, &found));
}

#[test]
fn work_stealing_on_tso_and_pso() {
    let harness = load("chase-lev-unfenced.c");
    let take = "take: bottom = b; < take: t = top;";
    let tests = ["p p ( t t | s s )", "p ( t p t | s )", "( p p | s s )"];
    let found = inferred(&harness, "tso", &tests);
    assert_eq!(orderings(&harness, &found), [BTreeSet::from([take.to_owned()])]);
    let found = inferred(&harness, "pso", &tests);
    assert_eq!(found.standing, Standing::Holds);
    assert!(found.is_complete());
    let wanted = vec![
        ("expand".to_owned(), Kind::StoreStore),
        ("push".to_owned(), Kind::StoreStore),
        ("take".to_owned(), Kind::StoreLoad),
    ];
    assert!(cheapest(&harness, &found).contains(&wanted), "{:?}", cheapest(&harness, &found));
    assert_eq!(found.placements[0].fences.len(), 3);
}

/// Row 1 of Table 1, and what else the smallest clients show.
#[test]
fn work_stealing_on_rmo() {
    let push = "push: q->ap[b % q->size] = task; < push: bottom = b + 1;".to_owned();
    let harness = load_with("chase-lev.c", &["-DNO_FENCE=1".to_owned()]);
    let found = inferred(&harness, "rmo", &["( p | s )"]);
    assert_eq!(orderings(&harness, &found), [BTreeSet::from([push.clone()])]);
    let harness = load("chase-lev-unfenced.c");
    let found = inferred(&harness, "rmo", &["( p | s )", "p ( t | s )"]);
    let steal = "try_steal: long b = bottom; < try_steal: task = q->ap[t % q->size];".to_owned();
    assert_eq!(orderings(&harness, &found), [BTreeSet::from([push, steal])]);
}
