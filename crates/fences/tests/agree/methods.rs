//! The methods, each from a program to all minimal placements of full fences.
//!
//! Execution buffers have fences of four kinds. A full fence at a slot is all four of them there, so that the minimal
//! placements of full fences are the minimal ones among what remains if kinds are forgotten.

use fencepost_bounded::check;
use fencepost_bounded::switched::Switched;
use fencepost_explore::abstraction::Abstraction;
use fencepost_explore::rlx::rules::Rules;
use fencepost_explore::{Buffering, Options, Reductions};
use fencepost_fences::guided::{self, Effort, Searched};
use fencepost_fences::place::{keep_within, resolve};
use fencepost_fences::rlx::{self, Extent, Goal, Obstacle, Standing};
use fencepost_fences::store_buffers;
use fencepost_harness::budget::Budget;
use fencepost_harness::engine::Finding;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{SlotId, Switch};
use std::collections::BTreeSet;

/// Slots that have a fence.
pub(crate) type Placement = BTreeSet<SlotId>;
/// The minimal placements; none if fences do not help.
pub(crate) type Minimal = BTreeSet<Placement>;

/// A closed program: the bodies of its threads, and what must not hold when they are done.
pub(crate) struct Client<'t> {
    /// One for each thread.
    pub(crate) threads: &'t [&'t str],
    /// An expression of C.
    pub(crate) never: &'t str,
}

/// Names of the threads' functions, which are where fences may go.
const NAMES: [&str; 4] = ["one", "two", "three", "four"];

impl Client<'_> {
    /// As C.
    pub(crate) fn text(&self) -> String {
        let mut text =
            String::from("#include <assert.h>\n#include <pthread.h>\nint v[2], x, y, z, a, b, c, d;\n");
        let names = || NAMES.iter().zip(self.threads);
        names().for_each(|(name, body)| {
            text += &format!("void *{name}(void *p)\n{{\n    {body}\n    return 0;\n}}\n");
        });
        text += &format!("int main(void)\n{{\n    pthread_t t[{}];\n", self.threads.len());
        for (number, (name, _)) in names().enumerate() {
            text += &format!("    pthread_create(&t[{number}], 0, {name}, 0);\n");
        }
        for number in 0..self.threads.len() {
            text += &format!("    pthread_join(t[{number}], 0);\n");
        }
        text + &format!("    assert(!({}));\n    return 0;\n}}\n", self.never)
    }

    /// The program, with slots in its threads alone.
    pub(crate) fn load(&self) -> Harness {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.c");
        let text = self.text();
        std::fs::write(&path, &text).expect("writable");
        let mut harness = match fencepost_c::load_with(&path, &[], fencepost_c::Options { slots: true }) {
            Ok((harness, _)) => harness,
            Err(rejected) => panic!("{text}\n{:#?}", rejected.diagnostics),
        };
        let within: Vec<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
        keep_within(&mut harness.program, &within);
        harness
    }
}

/// Those that contain no other.
pub(crate) fn minimal(placements: impl IntoIterator<Item = Placement>) -> Minimal {
    let all: Minimal = placements.into_iter().collect();
    let contains = |a: &Placement| all.iter().any(|b| b != a && b.is_subset(a));
    all.iter().filter(|a| !contains(a)).cloned().collect()
}

/// From store buffers.
pub(crate) fn by_store_buffers(harness: &Harness, model: &str, abstraction: &str) -> Minimal {
    by_store_buffers_with(harness, model, abstraction, Reductions::default())
}

/// The same with these reductions.
pub(crate) fn by_store_buffers_with(
    harness: &Harness,
    model: &str,
    abstraction: &str,
    reductions: Reductions,
) -> Minimal {
    let options = Options {
        buffering: Buffering::named(model).expect("a machine"),
        abstraction: Abstraction::named(abstraction).expect("an abstraction"),
        reductions,
        ..Options::default()
    };
    let main = &Question::Main(harness.main.expect("there is a main"));
    let found = store_buffers::infer(harness, main, &options, usize::MAX, &|_| 1, &|_| {});
    let found = found.unwrap_or_else(|reason| panic!("{reason}"));
    if found.placements == 0 {
        assert_eq!(found.cheapest, None);
        return Minimal::new();
    }
    assert_eq!(found.listed.len() as u64, found.placements);
    let listed: Minimal = found.listed.into_iter().map(|slots| slots.into_iter().collect()).collect();
    assert_eq!(minimal(listed.clone()), listed, "a placement contains another");
    listed
}

/// From execution buffers.
pub(crate) fn by_execution_buffers(harness: &Harness, model: &str) -> Minimal {
    let rules = fencepost_models::builtin(model).as_ref().and_then(Rules::of).expect("a machine");
    let extent = Extent { listed: usize::MAX, ..Extent::default() };
    match rlx::infer(harness, &[Goal::Main], rules, &extent, &|_| 1) {
        Ok(found) => {
            assert_eq!(found.standing, Standing::Holds);
            assert!(found.is_complete());
            let slots = |placement: rlx::Priced| -> Placement {
                placement.fences.into_iter().map(|fence| SlotId(fence.place)).collect()
            };
            minimal(found.placements.into_iter().map(slots))
        }
        Err(Obstacle::Impossible(_)) => Minimal::new(),
        Err(obstacle) => panic!("{obstacle}"),
    }
}

/// From counterexamples.
pub(crate) fn by_counterexamples(harness: &Harness, model: &str) -> Minimal {
    let model = fencepost_models::builtin(model).expect("it ships");
    let mut options = check::Options::default();
    options.unroll.fences = vec![FenceKind::Full];
    let subject = &Question::Main(harness.main.expect("there is a main"));
    let mut questions = [Switched::new(harness, subject, &model, None, &options, &|_| {})];
    let costs = vec![vec![1]; harness.program.slots.len()];
    let (kinds, budget) = (&[FenceKind::Full], &Budget::default());
    let search = guided::Options { kinds, costs: &costs, limit: usize::MAX, budget, progress: &|_| {} };
    match guided::infer(&mut questions, &search, &mut Effort::default()) {
        Ok(Searched::Placements { found, complete: true }) => {
            let slots = |found: guided::Found| found.placement.iter().map(|switch| switch.slot).collect();
            found.into_iter().map(slots).collect()
        }
        Ok(Searched::Hopeless { .. }) => Minimal::new(),
        other => panic!("{other:?}"),
    }
}

/// The slots of the threads.
pub(crate) fn slots(harness: &Harness) -> Vec<SlotId> {
    let slots = harness.program.slots.iter().enumerate();
    let inside = slots.filter(|(_, slot)| NAMES.contains(&slot.function.as_str()));
    inside.map(|(number, _)| SlotId(number as u32)).collect()
}

/// Those with accesses of their thread in front of them and behind them; no others can be of use.
pub(crate) fn inner_slots(harness: &Harness) -> Vec<SlotId> {
    let function = |slot: &SlotId| &harness.program.slots[slot.index()].function;
    let all = slots(harness);
    let threads = all.chunk_by(|a, b| function(a) == function(b));
    threads.flat_map(|thread| thread[1..thread.len() - 1].iter().copied()).collect()
}

/// Whether no execution of a program fails.
pub(crate) fn holds(harness: &Harness, model: &str) -> bool {
    let model = fencepost_models::builtin(model).expect("it ships");
    let subject = &Question::Main(harness.main.expect("there is a main"));
    let plain = check::Options::default();
    match check::check(harness, subject, &model, None, &plain, &|_| {}).finding {
        Finding::Holds => true,
        Finding::Violated { .. } => false,
        Finding::Inconclusive(reason) => panic!("{reason}"),
    }
}

/// By trying, those with few fences first. What contains one that holds is not minimal and is left out.
pub(crate) fn by_trying(harness: &Harness, model: &str, slots: &[SlotId]) -> Minimal {
    assert!(slots.len() <= 12, "{} slots are too many to try all", slots.len());
    let mut numbers: Vec<u32> = (0..1 << slots.len()).collect();
    numbers.sort_by_key(|bits| bits.count_ones());
    let mut holding = Minimal::new();
    for bits in numbers {
        let on = slots.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        let placement: Placement = on.map(|(_, slot)| *slot).collect();
        if holding.iter().any(|smaller| smaller.is_subset(&placement)) {
            continue;
        }
        let switches = placement.iter().map(|&slot| Switch { slot, kind: FenceKind::Full }).collect();
        let program = resolve(&harness.program, &switches);
        if holds(&Harness { program, ..harness.clone() }, model) {
            holding.insert(placement);
        }
    }
    holding
}

/// Lines and columns of slots, for messages.
pub(crate) fn places(harness: &Harness, placements: &Minimal) -> Vec<Vec<String>> {
    let place = |slot: &SlotId| {
        let slot = &harness.program.slots[slot.index()];
        let at = harness.program.sources.position(slot.at);
        format!("{} {}:{}", slot.function, at.line, at.column)
    };
    placements.iter().map(|placement| placement.iter().map(place).collect()).collect()
}
