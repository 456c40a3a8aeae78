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

pub use flow::Flow;
pub use labels::{Label, Labels};

use crate::code::driver;
use alone::Footprint;
use fencepost_harness::budget::Budget;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
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

/// What an exploration finds.
#[derive(Clone, Debug)]
pub struct Explored {
    /// Whether every execution is right, and there are some; or why that is not known. Executions are not shown: those
    /// of a placement that matters are found again by an engine whose traces can be replayed.
    pub holds: Result<bool, Reason>,
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
) -> Explored {
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
        let holds = match end {
            _ if found.violated => Ok(false),
            Err(End::Stopped(reason)) => Err(reason),
            Err(End::NotPrivate | End::Again) => {
                Err(Reason::Internal("an exploration that should have begun anew".into()))
            }
            Ok(()) if found.complete == 0 => {
                let why = "no execution completes: every one of them waits or runs for ever, or is ruled out by an assumption";
                Err(Reason::Vacuous(why.into()))
            }
            Ok(()) if held => Err(Reason::Unsupported(format!(
                "more than {} rounds of a loop under way at once",
                options.rounds
            ))),
            Ok(()) => Ok(true),
        };
        found.transitions.states = states as usize;
        return Explored {
            holds,
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
