//! Fences for closed programs on tso and pso, from abstract store buffers (BLENDER, Section 5).
//!
//! The engine gives a transition system in which each step says which stores it passes while they are in the
//! buffer. In the fully disjunctive abstraction all of these are there, and keeping any one of them in front of
//! the access prevents the step. In the partially disjunctive one a set may hold stores that are not there, so
//! all of them must be kept in front. The avoid formula over these constraints, with each constraint replaced
//! by the places that enforce it, has the placements as its minimal sets.
//!
//! Fences are full ones here, as in the paper's study.

use crate::avoid::{Bdd, Formula, Graph, Minimal, TooLarge, avoid, cheapest, cuts};
use crate::constraints::{FenceAt, Flow, Ordering};
use crate::place;
use fencepost_explore::abstraction::{Abstraction, Pass, System, system};
use fencepost_explore::rlx::rules::Effect;
use fencepost_explore::{Options, Statistics};
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{self, Program, SlotId};
use fencepost_lsl::source::Span;
use rustc_hash::FxHashMap;

/// How many nodes formulas may have.
const MOST_NODES: usize = 1 << 26;
/// Minimal sets of constraints on the way after which formulas are computed for all states instead.
const MOST_SETS: usize = 2_000;

/// What was inferred.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// Constraints that occur: a store and an access that must not pass it, as statements.
    pub orderings: Vec<(Span, Span)>,
    /// How many minimal sets of constraints there are.
    pub solutions: u64,
    /// Some of them, by number of constraint.
    pub constraints: Vec<Vec<u32>>,
    /// How many minimal placements there are; none if fences cannot repair the program, as far as the
    /// abstraction can tell.
    pub placements: u64,
    /// Some of them.
    pub listed: Vec<Vec<SlotId>>,
    /// The cheapest. Empty if the program is right without any.
    pub cheapest: Option<Vec<SlotId>>,
    /// Figures of the transition system.
    pub statistics: Statistics,
}

/// A cost by which the fewest fences are the cheapest, and of those the ones with the fewest loops around them: all
/// loops together weigh less than a fence.
pub fn fewest(program: &Program) -> impl Fn(SlotId) -> u64 + '_ {
    let depth = |slot: &program::Slot| u64::from(slot.loop_depth);
    let one_fence = 1 + program.slots.iter().map(depth).sum::<u64>();
    move |slot| one_fence + depth(&program.slots[slot.index()])
}

/// Infers fences for a question whose program has slots, with the abstraction that the options name. At most
/// `limit` solutions of each kind are listed. `cost` says what a fence costs at a slot.
pub fn infer(
    harness: &Harness,
    question: &Question,
    options: &Options,
    limit: usize,
    cost: &dyn Fn(SlotId) -> u64,
    progress: &dyn Fn(&Statistics),
) -> Result<Inferred, Reason> {
    let _span = tracing::info_span!("infer", slots = harness.program.slots.len()).entered();
    let system = system(harness, question, options, progress)?;
    let all = matches!(options.abstraction, Abstraction::PartiallyDisjunctive(_));
    let mut constraints = Constraints::default();
    let graph = graph(&system, all, &mut constraints);
    let large = |TooLarge { nodes }| {
        Reason::Unsupported(format!("to infer fences by formulas of more than {nodes} nodes"))
    };
    let mut bdd = Bdd::default();
    let formula = match cuts(&graph, &mut bdd, MOST_SETS) {
        Ok(formula) => formula,
        Err(_) => avoid(&graph, &mut bdd, MOST_NODES).map_err(large)?,
    };
    let (solutions, sets) = {
        let minimal = Minimal::of(&bdd, formula);
        (minimal.count(), minimal.sets(limit))
    };
    let flow = flow(&system);
    let placed = flow.placements(formula, &constraints.list, &mut bdd, MOST_NODES).map_err(large)?;
    let slots = |set: Vec<u32>| -> Vec<SlotId> {
        set.into_iter().map(|variable| SlotId(FenceAt::of_variable(variable).place)).collect()
    };
    let weight = |variable| cost(SlotId(FenceAt::of_variable(variable).place));
    let minimal = Minimal::of(&bdd, placed);
    let span = |label: u32| system.spans[label as usize];
    Ok(Inferred {
        orderings: constraints.list.iter().map(|o| (span(o.before), span(o.after))).collect(),
        solutions,
        constraints: sets,
        placements: if placed == Formula::FALSE { 0 } else { minimal.count() },
        listed: minimal.sets(limit).into_iter().map(slots).collect(),
        cheapest: cheapest(&bdd, placed, weight).map(|(_, set)| slots(set)),
        statistics: system.statistics,
    })
}

#[derive(Default)]
struct Constraints {
    list: Vec<Ordering>,
    numbers: FxHashMap<Ordering, u32>,
}

impl Constraints {
    fn number(&mut self, ordering: Ordering) -> u32 {
        let next = self.list.len() as u32;
        *self.numbers.entry(ordering).or_insert_with(|| {
            self.list.push(ordering);
            next
        })
    }
}

/// The system as the solver wants it. `all` says whether all constraints of an access must be enforced to
/// prevent it, or any.
fn graph(system: &System, all: bool, constraints: &mut Constraints) -> Graph {
    let mut graph = Graph::new(system.states as usize);
    graph.initial.push(0);
    graph.errors.push(system.error);
    let clauses: Vec<Vec<Vec<u32>>> =
        system.passes.iter().map(|passes| prevent(passes, all, constraints)).collect();
    for transition in &system.transitions {
        for clause in &clauses[transition.passes as usize] {
            graph.edge(transition.from, transition.to, clause);
        }
    }
    graph
}

/// What prevents a step, as a conjunction of disjunctions: for each of them the step has an edge of its own,
/// since a state is avoided only if all edges to it are.
fn prevent(passes: &[Pass], all: bool, constraints: &mut Constraints) -> Vec<Vec<u32>> {
    let mut clauses: Vec<Vec<u32>> = vec![Vec::new()];
    for pass in passes {
        let numbers: Vec<u32> = pass
            .stores
            .iter()
            .map(|&before| constraints.number(Ordering::new(before, pass.access)))
            .collect();
        clauses = match all {
            false => clauses.into_iter().map(|clause| [clause, numbers.clone()].concat()).collect(),
            true => {
                let with = |clause: &Vec<u32>, number: u32| [clause.clone(), vec![number]].concat();
                clauses.iter().flat_map(|clause| numbers.iter().map(move |n| with(clause, *n))).collect()
            }
        };
    }
    clauses
}

/// The code as the placement of fences wants it. Full fences order all kinds alike: one kind stands for them.
fn flow(system: &System) -> Flow {
    let effects = vec![Effect::STORE; system.spans.len()];
    Flow { points: system.flow.clone(), effects }
}

/// The program with full fences in some slots.
pub fn fenced(program: &Program, slots: &[SlotId]) -> Program {
    let full = |slot: SlotId| if slots.contains(&slot) { vec![program::Fence::FULL] } else { Vec::new() };
    place::fenced(program, &full)
}
