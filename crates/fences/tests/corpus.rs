//! Fences that are inferred for the data types of `corpus/fender`, as the paper reports them.

use fencepost_c::Options;
use fencepost_explore::rlx::rules::Rules;
use fencepost_fences::rlx::{Extent, Goal, Priced, Solutions, Standing, infer};
use fencepost_harness::operation::Harness;
use fencepost_harness::test;
use fencepost_lsl::fence::FenceKind;
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
fn inferred(harness: &Harness, model: &str, tests: &[&str]) -> Solutions {
    let parse = |text: &&str| match test::parse(harness, text, text, FileId(0), 0) {
        Ok(test) => Goal::Test(test),
        Err(why) => panic!("{text}: {}", why.message),
    };
    let goals: Vec<Goal> = tests.iter().map(parse).collect();
    let rules = fencepost_models::builtin(model).as_ref().and_then(Rules::of).expect("it is a machine");
    let found = infer(harness, &goals, rules, &Extent::default(), &|_| 1);
    let found = found.unwrap_or_else(|why| panic!("{model} {tests:?}: {why}"));
    println!("{model} {tests:?}: {:?} states", found.states);
    orderings(harness, &found).iter().for_each(|set| println!("  {set:?}"));
    found
}

/// An ordering for people: `take [bottom = b < t = top]`.
fn orderings(harness: &Harness, found: &Solutions) -> Vec<BTreeSet<String>> {
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
fn cheapest(harness: &Harness, found: &Solutions) -> BTreeSet<Vec<(String, FenceKind)>> {
    let least = found.placements[0].cost;
    let fences = |placement: &Priced| {
        let function = |place: u32| harness.program.slots[place as usize].function.clone();
        let mut fences: Vec<(String, FenceKind)> =
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
    assert!(cheapest(&harness, &found).contains(&vec![("enqueue".into(), FenceKind::StoreStore)]));
}

#[test]
fn queue_needs_three_fences_on_rmo() {
    let harness = load("msn-unfenced.c");
    let found = inferred(&harness, "rmo", &["( e | d )", "( d' | e' d' )"]);
    assert_eq!(found.placements[0].fences.len(), 3);
    let wanted = vec![
        ("dequeue".to_owned(), FenceKind::LoadLoad),
        ("dequeue".to_owned(), FenceKind::LoadLoad),
        ("enqueue".to_owned(), FenceKind::StoreStore),
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
        ("expand".to_owned(), FenceKind::StoreStore),
        ("push".to_owned(), FenceKind::StoreStore),
        ("take".to_owned(), FenceKind::StoreLoad),
    ];
    assert!(cheapest(&harness, &found).contains(&wanted), "{:?}", cheapest(&harness, &found));
    assert_eq!(found.placements[0].fences.len(), 3);
}

/// The rows of the paper's Table 1: the fence that is left out, a client that needs it, and an ordering that
/// repairs it.
const TABLE_1: [(u32, &str, &str); 5] = [
    (1, "( p | s )", "push: q->ap[b % q->size] = task; < push: bottom = b + 1;"),
    (2, "p p ( t | s s )", "take: bottom = b; < take: t = top;"),
    (3, "p p ( t | s | s )", "try_steal: long t = top; < try_steal: long b = bottom;"),
    (4, "p ( p | s s )", "try_steal: long b = bottom; < try_steal: item_t *q = wsq;"),
    (5, "p ( p | s )", "try_steal: task = q->ap[t % q->size]; < try_steal: if (!cas(&top, t, t + 1))"),
];

fn chase_lev_without(fence: u32) -> Harness {
    load_with("chase-lev.c", &[format!("-DNO_FENCE={fence}")])
}

#[test]
fn work_stealing_on_rmo() {
    for (fence, client, ordering) in TABLE_1 {
        let harness = chase_lev_without(fence);
        let found = inferred(&harness, "rmo", &[client]);
        assert!(found.is_complete() && found.standing == Standing::Holds, "{fence}: {:?}", found.standing);
        let sets = orderings(&harness, &found);
        // For row 5, a load on which that of the task depends will do as well.
        assert!(fence == 5 || sets.len() == 1, "{fence}: {sets:?}");
        assert!(sets.contains(&BTreeSet::from([ordering.to_owned()])), "{fence}: {sets:?}");
    }
    // Row 6 stands for three stores.
    let harness = chase_lev_without(6);
    let found = inferred(&harness, "rmo", &["p ( p | s )"]);
    assert!(found.orderings.iter().all(|set| set.len() == 3), "{:?}", found.orderings);
    assert_eq!(
        cheapest(&harness, &found),
        BTreeSet::from([vec![("expand".to_owned(), FenceKind::StoreStore)]])
    );
    let store = |store: &str| format!("expand: {store}; < expand: wsq = newq;");
    let item = "newitems[i % newsize] = wsq->ap[i % wsq->size]";
    let wanted = BTreeSet::from([item, "newq->size = newsize", "newq->ap = newitems"].map(store));
    assert!(orderings(&harness, &found).contains(&wanted));
}

/// The six are enough.
#[test]
fn work_stealing_on_rmo_needs_no_more() {
    let clients = [
        "( p | s )",
        "p ( t | s | s )",
        "( p t | s )",
        "p p ( t t | s s )",
        "p p ( t t | s | s )",
        "p ( p | s s )",
        "p ( p t | s )",
    ];
    let found = inferred(&chase_lev_without(7), "rmo", &clients);
    assert_eq!(found.orderings, [Vec::new()]);
    assert!(found.is_complete());
}

/// What the smallest clients show at once.
#[test]
fn work_stealing_unfenced_on_rmo() {
    let harness = load("chase-lev-unfenced.c");
    let wanted = |all: &[&str]| vec![all.iter().map(|one| one.to_string()).collect::<BTreeSet<String>>()];
    let found = inferred(&harness, "rmo", &["( p | s )", "p ( t | s )"]);
    let steal = "try_steal: long b = bottom; < try_steal: task = q->ap[t % q->size];";
    assert_eq!(orderings(&harness, &found), wanted(&[TABLE_1[0].2, steal]));
    let found = inferred(&harness, "rmo", &["p p ( t | s | s )"]);
    assert_eq!(orderings(&harness, &found), wanted(&[TABLE_1[1].2, TABLE_1[2].2]));
}
