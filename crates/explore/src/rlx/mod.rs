//! RLX: machines with execution buffers, after FENDER.
//!
//! Every thread fetches its instructions in program order into a buffer, from which they are executed in any
//! order that the model's rules allow ([`rules`]): with no exceptions to first in, first out, this is
//! sequential consistency. The machines `tso` and `pso` allow what the models of these names do. `rmo` allows
//! less than `crates/models/texts/rmo.cat`, and `docs/fences.md` says what. Steps that take an instruction out of order know
//! which older ones they overtake: that is what fence inference needs
//! (*Automatic Inference of Memory Fences*, Section 2.2).
//!
//! Deliberately absent: freed memory, monitors and traces that the referee could replay.

mod alone;
mod block;
mod execute;
mod fetch;
mod flow;
mod info;
mod labels;
mod machine;
mod private;
pub mod rules;
mod search;
mod settle;
mod state;

pub use flow::{Flow, FlowPoint};
pub use labels::{Label, Labels};

use crate::code::driver;
use alone::Footprint;
use fencepost_harness::budget::Budget;
use fencepost_harness::observation::{Observation, ObservationSet};
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::fault::Fault;
use machine::Machine;
use rules::Rules;
use search::{End, Search};
use tracing::field::Empty;

/// How to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// Instructions that a thread may have under way. An exploration that would need more is inconclusive.
    pub buffer: usize,
    /// On models that speculate, how many rounds of loops a thread may have begun to repeat before they are
    /// executed. An exploration in which a complete execution would have gone on is inconclusive.
    pub rounds: usize,
    /// Whether all states are visited, errors or not, and all steps remembered.
    pub transitions: bool,
    /// Whether to guess how branches go only where a load behind them is executed next.
    pub lazy: bool,
    /// Whether accesses that no other thread competes for are executed as soon as they can be.
    pub alone: bool,
    /// Whether local variables that stay with their thread are taken for registers. Two fences of different kinds
    /// that order something only by way of an access to such a variable then do not order it.
    pub private: bool,
    /// When to stop.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            buffer: 256,
            rounds: 1,
            transitions: false,
            lazy: true,
            alone: true,
            private: true,
            budget: Budget::default(),
        }
    }
}

/// What is wrong with an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// A runtime error.
    Fault {
        /// Whose.
        thread: usize,
        /// The instruction.
        pc: u32,
        /// What it is.
        fault: Fault,
    },
    /// The specification does not admit what was observed.
    Observation(Observation),
}

/// A step of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Who made it.
    pub thread: usize,
    /// The instruction that was executed.
    pub pc: u32,
    /// The older accesses that it overtook.
    pub overtaken: Vec<u32>,
}

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// No execution is wrong, and there are some.
    Holds,
    /// This one is.
    Violated {
        /// What is wrong with it.
        violation: Violation,
        /// How it goes.
        moves: Vec<Move>,
    },
    /// A limit was reached first.
    Inconclusive(Reason),
}

/// An access that is executed before an older one of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Overtaking {
    /// The label of the older one.
    pub before: u32,
    /// The label of the one that is executed.
    pub after: u32,
    /// Whether that could have stored something, and did not: a compare-and-swap that fails.
    pub idle: bool,
}

/// All steps between states.
#[derive(Clone, Debug, Default)]
pub struct Transitions {
    /// How many states there are.
    pub states: usize,
    /// Those in which executions begin.
    pub initial: Vec<u32>,
    /// Those in which something is wrong.
    pub errors: Vec<u32>,
    /// Steps: from where, to where, and the number of the set of overtakings that the step makes: to forbid any one
    /// of them is to prevent the step.
    pub edges: Vec<(u32, u32, u32)>,
    /// Sets of overtakings; the first is empty.
    pub sets: Vec<Box<[Overtaking]>>,
}

/// An exploration's outcome.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The answer.
    pub verdict: Verdict,
    /// What complete executions observe, as far as explored.
    pub observations: ObservationSet,
    /// How many states there are.
    pub states: u64,
    /// How many steps between them.
    pub steps: u64,
    /// All steps, if asked for and all were made.
    pub transitions: Option<Transitions>,
    /// Why it ended before all states were visited, if it did.
    pub stopped: Option<Reason>,
    /// The accesses of the program.
    pub labels: Labels,
    /// How control flows between them.
    pub flow: Result<Flow, String>,
    /// Whether a complete execution had to wait for [`Options::rounds`].
    pub held: bool,
}

/// Explores what is asked about. Observations of a test must be admitted, if a specification is given.
pub fn explore(
    harness: &Harness,
    question: &Question,
    specification: Option<&ObservationSet>,
    rules: &'static Rules,
    options: &Options,
) -> Exploration {
    let span = tracing::info_span!("explore", rules = rules.name, states = Empty).entered();
    let code = driver::compile(harness, question, false);
    let labels = Labels::new(&code, &harness.program);
    let mut private = options.private;
    let mut footprint = Footprint::default();
    loop {
        let machine = Machine::new(&code, &harness.program, rules, options, private, footprint);
        let mut search = Search::new(&machine, specification, &labels);
        let end = search.run();
        if let Err(End::NotPrivate) = end
            && private
        {
            private = false;
            footprint = machine.footprint.into_inner().renewed();
            continue;
        }
        if let Err(End::Again) = end {
            drop(search);
            footprint = machine.footprint.into_inner().renewed();
            continue;
        }
        let states = search.states();
        span.record("states", states);
        let mut found = search.found;
        let held = found.held;
        let ended = end.is_ok();
        let stopped = match &end {
            Err(End::Stopped(reason)) => Some(reason.clone()),
            _ => None,
        };
        let verdict = match (end, found.violation) {
            (_, Some((violation, moves))) => Verdict::Violated { violation, moves },
            (Err(End::Stopped(reason)), None) => Verdict::Inconclusive(reason),
            (Err(End::NotPrivate | End::Again), None) => {
                Verdict::Inconclusive(Reason::Internal("an exploration that should have begun anew".into()))
            }
            (Ok(()), None) if found.complete == 0 => {
                let why = "no execution completes: every one of them waits or runs for ever, or is ruled out by an assumption";
                Verdict::Inconclusive(Reason::Vacuous(why.into()))
            }
            (Ok(()), None) if held => Verdict::Inconclusive(Reason::Unsupported(format!(
                "more than {} rounds of a loop under way at once",
                options.rounds
            ))),
            (Ok(()), None) => Verdict::Holds,
        };
        found.transitions.states = states as usize;
        return Exploration {
            verdict,
            observations: found.observations,
            states,
            steps: found.steps,
            transitions: (options.transitions && ended).then_some(found.transitions),
            stopped,
            flow: Flow::new(&code, &labels),
            labels: labels.clone(),
            held,
        };
    }
}
