//! Solutions against brute force: on random straight-line programs, a placement satisfies what was inferred just
//! if the program with these fences holds.
//!
//! `PROGRAMS=300 cargo test -p fencepost-fences --test rlx_brute_force` is the slow tier.

use fencepost_explore::Buffering;
use fencepost_explore::rlx::rules::{RMO, Rules, SC};
use fencepost_explore::rlx::{self, Options};
use fencepost_fences::constraints::{FenceAt, TYPED};
use fencepost_fences::rlx::{Extent, Goal, Obstacle, Solutions, infer};
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::test::Test;
use fencepost_lsl::program::{Stmt, StmtKind};
use fencepost_reference::cycles;
use fencepost_reference::generate::{self, Size};
use fencepost_reference::litmus;
use fencepost_reference::lower::lower;
use fencepost_reference::program::{Instruction, Program};
use fencepost_reference::random::Random;

fn programs() -> u64 {
    std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(40)
}

/// Whether no way through a program differs from another: only then is each constraint about one pair of
/// accesses, and a fence on the way between them needed where it is enforced.
fn straight(program: &Program) -> bool {
    let simple = |instruction: &Instruction| {
        matches!(instruction, Instruction::Load(..) | Instruction::Store(..) | Instruction::Modify(..))
    };
    program.threads.iter().flatten().flatten().all(simple)
}

fn holds(harness: &Harness, test: &Test, admitted: &ObservationSet, rules: &'static Rules) -> bool {
    let found =
        rlx::explore(harness, &Question::Test(test.clone()), Some(admitted), rules, &Options::default());
    found.holds.unwrap_or_else(|reason| panic!("{reason}"))
}

fn is_access(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Load { .. } | StmtKind::Store { .. } | StmtKind::Atomic(_))
}

/// The program with fences in front of accesses or behind them. Accesses of a procedure have ascending labels.
fn fenced(harness: &Harness, inference: &Solutions, fences: &[FenceAt]) -> Harness {
    let mut harness = harness.clone();
    for (number, proc) in harness.program.procs.iter_mut().enumerate() {
        let mut labels: Vec<(u32, u32)> = inference
            .accesses
            .iter()
            .enumerate()
            .filter(|(_, label)| label.at.0.index() == number)
            .map(|(at, label)| (label.at.1, at as u32))
            .collect();
        labels.sort_unstable();
        let mut labels = labels.into_iter().map(|(_, label)| label);
        for stmt in std::mem::take(&mut proc.body) {
            let label = if is_access(&stmt) { labels.next() } else { None };
            let span = stmt.span;
            let at = |place: Option<u32>| {
                let here = fences.iter().filter(move |fence| Some(fence.place) == place);
                here.map(move |fence| Stmt { kind: StmtKind::Fence(fence.kind.fence()), span })
            };
            proc.body.extend(at(label.map(|label| 2 * label)));
            proc.body.push(stmt);
            proc.body.extend(at(label.map(|label| 2 * label + 1)));
        }
    }
    harness
}

/// Compares on one program; true if fences make a difference.
fn compare(program: &Program, rules: &'static Rules) -> bool {
    let (harness, test) = lower(program);
    let sequential = rlx::explore(&harness, &Question::Test(test.clone()), None, &SC, &Options::default());
    let admitted = sequential.observations;
    let goals = [Goal::Admitted(test.clone(), admitted.clone())];
    // With shortcuts off, solutions are exactly those of the transition system.
    let exact = Options { alone: false, ..Options::default() };
    let extent = Extent { explore: exact, listed: usize::MAX, ..Extent::default() };
    let found =
        infer(&harness, &goals, rules, &extent, &|_| 1).unwrap_or_else(|why| panic!("{why}\n{program}"));
    let shortcut =
        infer(&harness, &goals, rules, &Extent { listed: usize::MAX, ..Extent::default() }, &|_| 1);
    let shortcut = shortcut.unwrap_or_else(|why: Obstacle| panic!("{why}\n{program}"));
    let satisfies = |inference: &Solutions, fences: &[FenceAt]| {
        let contained = |set: &[FenceAt]| set.iter().all(|fence| fences.contains(fence));
        inference.placements.iter().any(|placement| contained(&placement.fences))
    };
    let places = 2 * found.accesses.len() as u32;
    // In front of every access but the first is enough; behind is the same place.
    let all: Vec<FenceAt> = (0..places)
        .filter(|place| place % 2 == 0)
        .flat_map(|place| TYPED.map(|kind| FenceAt { place, kind }))
        .collect();
    let mut tried: Vec<Vec<FenceAt>> = vec![Vec::new()];
    for (at, first) in all.iter().enumerate() {
        tried.push(vec![*first]);
        tried.extend(all[at + 1..].iter().map(|second| vec![*first, *second]));
    }
    for fences in &tried {
        let good = holds(&fenced(&harness, &found, fences), &test, &admitted, rules);
        assert_eq!(satisfies(&found, fences), good, "{} {fences:?}\n{program}", rules.name);
        // The shortcut may miss a placement, and must not add one.
        assert!(good || !satisfies(&shortcut, fences), "{} {fences:?}\n{program}", rules.name);
    }
    found.placements.iter().all(|placement| !placement.fences.is_empty())
}

/// A compare-and-swap that fails is a load on tso and pso: a fence between stores does not keep it back.
#[test]
fn swaps_that_fail() {
    let text = "models pso\nR+cas  x=2; r1=cas(y,7,1) | y=2; x=1  ? x=2 r1=0  : yes\n";
    let rows = litmus::parse(text).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    for rules in [Rules::of(&Buffering::Tso.model()), Rules::of(&Buffering::Pso.model()), Some(&RMO)]
        .into_iter()
        .flatten()
    {
        let needed = compare(&rows[0].program, rules);
        assert!(needed || rules.name != "pso", "it is what the fence is for");
    }
}

#[test]
fn placements_are_exact() {
    let (mut compared, mut needed) = (0, 0);
    for seed in 0.. {
        let mut random = Random::new(seed * 53 + 11);
        let size = Size { threads: 2, accesses: 5, partial_fences: false };
        let program = match seed % 2 {
            0 => generate::program(&mut random, size),
            _ => cycles::program(&mut random, 2, 5),
        };
        if !straight(&program) {
            continue;
        }
        for rules in [Rules::of(&Buffering::Tso.model()), Rules::of(&Buffering::Pso.model()), Some(&RMO)]
            .into_iter()
            .flatten()
        {
            needed += compare(&program, rules) as u64;
        }
        compared += 1;
        if compared >= programs() {
            break;
        }
    }
    assert!(
        !fencepost_reference::random::is_usual() || needed > compared / 4,
        "fences were needed {needed} times on {compared} programs"
    );
}
