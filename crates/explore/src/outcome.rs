//! What an exploration finds.

use fencepost_harness::observation::ObservationSet;
use fencepost_harness::result::Wrong;
use fencepost_harness::trace::{EventId, Trace};
use fencepost_harness::verdict::Reason;
use std::time::Duration;

/// What is wrong with an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// A runtime error, which the trace shows.
    Fault,
    /// All calls returned, and the specification does not admit what they observed.
    Observation,
    /// The monitor has no explanation for its calls.
    Unexplained,
    /// These threads wait for ever, and nothing accepts that.
    Stuck(Vec<usize>),
    /// Heap objects at these addresses are never freed.
    Leak(Vec<u64>),
    /// It never ends: what happens from this step on can repeat for ever. Steps are counted from zero.
    Endless {
        /// Steps before the repetition.
        stem: usize,
        /// Steps of all.
        steps: usize,
        /// The events that are repeated, by thread and as the thread makes them.
        repeats: Vec<EventId>,
    },
}

impl From<Violation> for Wrong {
    fn from(violation: Violation) -> Wrong {
        match violation {
            Violation::Fault => Wrong::Fault,
            Violation::Observation => Wrong::Observation,
            Violation::Unexplained => Wrong::Unexplained,
            Violation::Stuck(threads) => Wrong::Stuck(threads),
            Violation::Endless { stem, steps, repeats } => Wrong::Endless { stem, steps, repeats },
            Violation::Leak(_) => Wrong::Leak,
        }
    }
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
        /// The execution.
        trace: Box<Trace>,
    },
    /// A limit was reached first.
    Inconclusive(Reason),
}

/// Figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// States.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// States in which all threads are done.
    pub complete: u64,
    /// States in which threads wait for ever.
    pub stuck: u64,
    /// Whether no execution of a closed program completes, and some run for ever. The witness is one of those.
    pub endless: bool,
    /// Explorations that were begun anew because cells turned out to be shared.
    pub restarts: u32,
    /// Bytes of memory that states took.
    pub bytes: u64,
    /// Time.
    pub time: Duration,
}

/// An exploration's outcome.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The answer.
    pub verdict: Verdict,
    /// Of a test, what its complete executions observe, as far as explored.
    pub observations: ObservationSet,
    /// An execution that completes, or that is stuck and accepted, if one was met; of a closed program of which none
    /// completes, one that runs for ever: proof that a verdict of `Holds` speaks of something.
    pub witness: Option<Box<Trace>>,
    /// Figures.
    pub statistics: Statistics,
}
