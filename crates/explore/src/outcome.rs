//! What an exploration finds.

use fencepost_harness::engine::Finding;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::trace::Trace;
use std::time::Duration;

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
    pub finding: Finding,
    /// Of a test, what its complete executions observe, as far as explored.
    pub observations: ObservationSet,
    /// An execution that completes, or that is stuck and accepted, if one was met; of a closed program of which none
    /// completes, one that runs for ever: proof that a verdict of `Holds` speaks of something.
    pub witness: Option<Box<Trace>>,
    /// Figures.
    pub statistics: Statistics,
}
