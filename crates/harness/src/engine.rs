//! What engines have in common: what they are asked, what they say, and what becomes of it.

use crate::budget::Budget;
use crate::observation::ObservationSet;
use crate::operation::Harness;
use crate::question::Question;
use crate::result::{Scope, Statistics, Wrong};
use crate::trace::Trace;
use crate::verdict::Reason;
use fencepost_models::Model;

/// Decides whether some execution is wrong. What it says is a claim: who asks has the referee look at its traces.
pub trait Engine {
    /// Decides. `progress` is told how far it is.
    fn decide(&self, task: &Task, progress: &dyn Fn(Progress)) -> Outcome;

    /// Whether it shows an execution where all is right.
    fn shows(&self) -> bool {
        true
    }
}

/// What an engine is asked.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The program.
    pub harness: &'a Harness,
    /// What of it.
    pub question: &'a Question,
    /// What a test may observe; anything, without it.
    pub specification: Option<&'a ObservationSet>,
    /// On which model.
    pub model: &'a Model,
    /// Whether `malloc` may return what was freed before.
    pub reuse: bool,
    /// What it may cost.
    pub budget: &'a Budget,
}

/// How far an engine is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It makes a formula, for this round.
    Encoding(u32),
    /// It looks for an execution that is wrong.
    Violation(u32),
    /// It looks for executions that exceed a bound.
    Bounds(u32),
    /// It looks for an execution to show.
    Witness(u32),
    /// It visited so many states.
    States(u64),
}

/// The outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// What was found.
    pub finding: Finding,
    /// If all is right, an execution in proof that there are any; none from an engine that proves otherwise.
    pub witness: Option<Box<Trace>>,
    /// Whether that one completes. If it does not, none does.
    pub ends: bool,
    /// Whether threads wait for ever in some executions, as far as is known.
    pub stuck: bool,
    /// What it speaks of, as far as the engine knows.
    pub scope: Scope,
    /// What it cost.
    pub statistics: Statistics,
}

/// What an engine says, before anybody has looked at its trace.
#[derive(Clone, PartialEq, Debug)]
pub enum Finding {
    /// No execution is wrong, and there are some.
    Holds,
    /// This one is.
    Violated {
        /// What is wrong with it.
        wrong: Wrong,
        /// The execution.
        trace: Box<Trace>,
    },
    /// A limit was reached first.
    Inconclusive(Reason),
}
