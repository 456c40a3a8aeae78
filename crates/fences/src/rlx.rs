//! FENDER's inference: from all executions with execution buffers to all minimal placements of fences.
//!
//! Each test is explored on the model's machine with every step remembered. A step that takes an access out of
//! order is prevented by any of the orderings [l ≺ l'] between an older access that it overtakes and itself; the
//! avoid formula of all tests together then has exactly the sets of orderings as solutions that make them hold.
//! Replacing orderings by the fences that enforce them gives the placements
//! (*Automatic Inference of Memory Fences*, Sections 2.1 to 2.3). The cheapest one is put into the program and
//! explored again.

use crate::avoid::{Bdd, Formula, Graph, Minimal, TooLarge, avoid, cheapest};
use crate::constraints::{FenceAt, Flow, Ordering};
use crate::place;
use fencepost_explore::FlowPoint;
use fencepost_explore::rlx::rules::Rules;
use fencepost_explore::rlx::{self, Explored, Label, Options, Overtaking, Transitions};
use fencepost_harness::budget::Poll;
use fencepost_harness::mine::{Mined, mine};
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::test::Test;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{ProcId, Program};
use rustc_hash::FxHashMap;
use std::fmt;

/// What is to hold.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Each call of a test observes what it could in a serial execution.
    Test(Test),
    /// A test observes one of these.
    Admitted(Test, ObservationSet),
    /// No assertion of a closed program fails.
    Main,
}

/// How far to go.
#[derive(Clone, Debug)]
pub struct Extent {
    /// How states are explored.
    pub explore: Options,
    /// Nodes of decision diagrams.
    pub nodes: usize,
    /// Sets of orderings, and placements, that are listed.
    pub listed: usize,
}

impl Default for Extent {
    fn default() -> Extent {
        Extent { explore: Options::default(), nodes: 1 << 26, listed: 1000 }
    }
}

/// A placement of fences, with its price.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Priced {
    /// Its fences. Places are slots of the program; if it has none, even places are in front of the access with
    /// half the number, others behind it.
    pub fences: Vec<FenceAt>,
    /// What it costs.
    pub cost: u64,
}

/// What was inferred.
#[derive(Clone, Debug)]
pub struct Solutions {
    /// The program's accesses, which orderings are between.
    pub accesses: Vec<Label>,
    /// Minimal sets of orderings that suffice, at most as many as asked for. One empty set: nothing is needed.
    pub orderings: Vec<Vec<Ordering>>,
    /// How many such sets there are.
    pub ordering_sets: u64,
    /// Minimal placements, at most as many as asked for; the cheapest ones first.
    pub placements: Vec<Priced>,
    /// How many there are. Placements that differ in the kind of a fence count as two.
    pub placement_sets: u64,
    /// States explored, for each goal.
    pub states: Vec<u64>,
    /// Whether places are slots of the program.
    pub slots: bool,
    /// What is known of the cheapest placement, the first of `placements`.
    pub standing: Standing,
    /// Whether a complete execution had more rounds of a loop under way than are looked at. Then executions were
    /// missed: what is listed is needed, and may not be enough. See [`Solutions::is_complete`].
    pub held: bool,
}

impl Solutions {
    /// Whether all executions were looked at, so that every placement listed is enough, and nothing that was
    /// explored again left that open.
    pub fn is_complete(&self) -> bool {
        !self.held && !matches!(self.standing, Standing::Open(..))
    }
}

/// What is known of a placement.
#[derive(Clone, PartialEq, Debug)]
pub enum Standing {
    /// All goals hold with it: it was put in and explored again, or has no fences and was explored already.
    Holds,
    /// It was explored and a goal was not decided; which goal and why.
    Open(usize, Reason),
    /// It was not put in: the program has no slots.
    Untried,
}

/// Why nothing was inferred.
#[derive(Clone, PartialEq, Debug)]
pub enum Obstacle {
    /// A goal fails even if nothing is reordered, or its accesses have no place between them; which goal.
    Impossible(usize),
    /// Not decided; for which goal and why.
    Inconclusive(usize, Reason),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Impossible(goal) => {
                write!(f, "no fences help test {}: it fails in program order", goal + 1)
            }
            Obstacle::Inconclusive(goal, reason) => write!(f, "test {}: {reason}", goal + 1),
        }
    }
}

impl std::error::Error for Obstacle {}

/// Infers which fences make all goals hold. `cost` says what a fence costs.
pub fn infer(
    harness: &Harness,
    goals: &[Goal],
    rules: &'static Rules,
    extent: &Extent,
    cost: &dyn Fn(FenceAt) -> u64,
) -> Result<Solutions, Obstacle> {
    let _span =
        tracing::info_span!("infer", goals = goals.len(), slots = harness.program.slots.len()).entered();
    let mut bdd = Bdd::default();
    let mut merged = Merged::default();
    let mut all = Formula::TRUE;
    let mut states = Vec::new();
    let mut open = None;
    for (number, goal) in goals.iter().enumerate() {
        let stop = |reason| Obstacle::Inconclusive(number, reason);
        let explored = explore(harness, goal, rules, &extent.explore, true).map_err(stop)?;
        let Some(transitions) = &explored.transitions else {
            let internal = || Reason::Internal("an exploration without steps".into());
            return Err(stop(explored.stopped.unwrap_or_else(internal)));
        };
        match &explored.holds {
            // Nothing completes: that no error is reached says nothing.
            Err(reason @ Reason::Vacuous(_)) => return Err(stop(reason.clone())),
            Err(reason) => open = open.or(Some((number, reason.clone()))),
            Ok(_) => {}
        }
        states.push(explored.states);
        let large = |large: TooLarge| stop(Reason::Unsupported(large.to_string()));
        let names = merged.add(&explored).map_err(|why| stop(Reason::Unsupported(why)))?;
        let graph = merged.graph(transitions, &names);
        let formula = avoid(&graph, &mut bdd, extent.nodes).map_err(large)?;
        all = bdd.and(all, formula);
        if all == Formula::FALSE {
            return Err(Obstacle::Impossible(number));
        }
    }
    let last = goals.len().saturating_sub(1);
    let large = |large: TooLarge| Obstacle::Inconclusive(last, Reason::Unsupported(large.to_string()));
    let placed = merged.flow.placements(all, &merged.orderings, &mut bdd, extent.nodes).map_err(large)?;
    let Some((_, best)) = cheapest(&bdd, placed, |variable| cost(FenceAt::of_variable(variable))) else {
        return Err(Obstacle::Impossible(last));
    };
    let (sets, placements) = (Minimal::of(&bdd, all), Minimal::of(&bdd, placed));
    let placement = |set: Vec<u32>| {
        let fences: Vec<FenceAt> = set.into_iter().map(FenceAt::of_variable).collect();
        Priced { cost: fences.iter().map(|fence| cost(*fence)).sum(), fences }
    };
    let mut listed: Vec<Priced> = placements.sets(extent.listed).into_iter().map(placement).collect();
    let best = placement(best);
    listed.retain(|other| *other != best);
    listed.push(best);
    listed.sort_by_key(|placement| (placement.cost, placement.fences.len()));
    let named = |set: Vec<u32>| set.into_iter().map(|number| merged.orderings[number as usize]).collect();
    let mut inference = Solutions {
        orderings: sets.sets(extent.listed).into_iter().map(named).collect(),
        ordering_sets: sets.count(),
        placement_sets: placements.count(),
        placements: listed,
        states,
        slots: !harness.program.slots.is_empty(),
        standing: Standing::Untried,
        held: merged.held,
        accesses: merged.accesses,
    };
    // There is at least one: the cheapest was found.
    let cheapest = &inference.placements[0];
    inference.standing = match open {
        _ if inference.slots && !cheapest.fences.is_empty() => {
            check(harness, goals, rules, extent, cheapest)?
        }
        _ if !cheapest.fences.is_empty() => Standing::Untried,
        Some((goal, reason)) => Standing::Open(goal, reason),
        None => Standing::Holds,
    };
    Ok(inference)
}

/// Puts a placement in and explores again. That a goal fails is a mistake of this crate; that one is not decided
/// is not, and is no proof either.
fn check(
    harness: &Harness,
    goals: &[Goal],
    rules: &'static Rules,
    extent: &Extent,
    placement: &Priced,
) -> Result<Standing, Obstacle> {
    let mut standing = Standing::Holds;
    let fenced = Harness { program: with_fences(&harness.program, &placement.fences), ..harness.clone() };
    for (number, goal) in goals.iter().enumerate() {
        let stop = |reason| Obstacle::Inconclusive(number, reason);
        match explore(&fenced, goal, rules, &extent.explore, false).map_err(stop)?.holds {
            Ok(false) => {
                let why = "the program still fails with the fences that were inferred";
                return Err(stop(Reason::Internal(why.into())));
            }
            Err(reason) if standing == Standing::Holds => {
                standing = Standing::Open(number, reason);
            }
            Ok(true) | Err(_) => {}
        }
    }
    Ok(standing)
}

/// The program with fences at some of its slots.
pub(crate) fn with_fences(program: &Program, fences: &[FenceAt]) -> Program {
    place::fenced(program, &|slot| {
        fences.iter().filter(|fence| fence.place == slot.0).map(|fence| fence.kind.fence()).collect()
    })
}

fn explore(
    harness: &Harness,
    goal: &Goal,
    rules: &'static Rules,
    options: &Options,
    transitions: bool,
) -> Result<Explored, Reason> {
    let options = Options { transitions, ..options.clone() };
    let explore =
        |question: &Question, specification| rlx::explore(harness, question, specification, rules, &options);
    match goal {
        Goal::Test(test) => match mine(harness, test, &Poll::new(&options.budget))? {
            Mined::Specification { observations, .. } => {
                Ok(explore(&Question::Test(test.clone()), Some(&observations)))
            }
            Mined::Fault(_) => Err(Reason::Specification("a serial execution fails".into())),
            Mined::Impossible(why) => Err(Reason::Specification(why)),
        },
        Goal::Admitted(test, admitted) => Ok(explore(&Question::Test(test.clone()), Some(admitted))),
        Goal::Main => match harness.main {
            Some(main) => Ok(explore(&Question::Main(main), None)),
            None => Err(Reason::Unsupported("a program without main".into())),
        },
    }
}

/// Accesses, orderings and flows of all goals, with common numbers.
#[derive(Default)]
struct Merged {
    accesses: Vec<Label>,
    known: FxHashMap<(ProcId, u32), u32>,
    orderings: Vec<Ordering>,
    numbers: FxHashMap<Ordering, u32>,
    flow: Flow,
    held: bool,
}

impl Merged {
    /// Adds an exploration; the common numbers of its labels.
    fn add(&mut self, explored: &Explored) -> Result<Vec<u32>, String> {
        let mut names = Vec::new();
        for label in &explored.labels.all {
            let number = *self.known.entry(label.at).or_insert_with(|| {
                self.accesses.push(label.clone());
                self.flow.effects.push(label.effect);
                self.accesses.len() as u32 - 1
            });
            names.push(number);
        }
        let flow = explored.flow.as_ref().map_err(Clone::clone)?;
        let first = self.flow.points.len() as u32;
        let place = |place: u32| if flow.slots { place } else { 2 * names[place as usize / 2] + place % 2 };
        self.flow.points.extend(flow.points.iter().map(|point| FlowPoint {
            label: point.label.map(|label| names[label as usize]),
            place: point.place.map(place),
            next: point.next.iter().map(|next| first + next).collect(),
        }));
        self.held |= explored.held;
        Ok(names)
    }

    /// The transition system of a goal, over common constraints.
    fn graph(&mut self, transitions: &Transitions, names: &[u32]) -> Graph {
        let mut graph = Graph::new(transitions.states);
        graph.initial = transitions.initial.clone();
        graph.errors = transitions.errors.clone();
        // Near numbers for orderings of near accesses keep the diagrams small.
        let ordering = |&Overtaking { before, after, idle }: &Overtaking| Ordering {
            before: names[before as usize],
            after: names[after as usize],
            idle,
        };
        let mut all: Vec<Ordering> = transitions.sets.iter().flatten().map(ordering).collect();
        all.sort_unstable();
        for ordering in all {
            self.numbers.entry(ordering).or_insert_with(|| {
                self.orderings.push(ordering);
                self.orderings.len() as u32 - 1
            });
        }
        let sets: Vec<Vec<u32>> = transitions
            .sets
            .iter()
            .map(|set| set.iter().map(|pair| self.numbers[&ordering(pair)]).collect())
            .collect();
        for &(from, to, set) in &transitions.edges {
            graph.edge(from, to, &sets[set as usize]);
        }
        graph
    }
}
