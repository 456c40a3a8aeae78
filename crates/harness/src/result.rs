//! The result of a check: what was asked, the verdict, how far it goes, and what it cost.

use crate::observation::Observation;
use crate::trace::{EventId, Explanation, Trace};
use crate::verdict::{Kind, Reason};
use fencepost_lsl::source::Span;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

/// What was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Property {
    /// Every execution is free of runtime errors and observes what some serial execution does.
    Serial,
    /// Every execution is free of runtime errors.
    Assertions,
    /// Every execution of every schedule is free of runtime errors, and an oracle explains its calls.
    Schedules,
}

/// What is wrong with an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// A runtime error, which the trace shows.
    Fault,
    /// No serial execution observes the same.
    Observation,
    /// No sequential order of its calls is right.
    Unexplained,
    /// These threads wait for ever, and nothing says that they may. Thread 0 runs initialisation, or `main`.
    Stuck(Vec<usize>),
    /// It never ends: what happens after the first `stem` of its `steps` can repeat for ever.
    Endless {
        /// Steps before the repetition.
        stem: usize,
        /// Steps of all.
        steps: usize,
        /// The events that are repeated, by thread and as the thread makes them.
        repeats: Vec<EventId>,
    },
    /// Heap objects at these addresses are lost before they are freed.
    Leak(Vec<u64>),
    /// The memory model has a rule for programs, which two events break: a data race.
    Flagged {
        /// The rule.
        rule: String,
        /// The events.
        events: (EventId, EventId),
    },
}

impl Wrong {
    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Wrong::Fault => "fault",
            Wrong::Observation => "observation",
            Wrong::Unexplained => "unexplained",
            Wrong::Stuck(_) => "stuck",
            Wrong::Endless { .. } => "endless",
            Wrong::Leak(_) => "leak",
            Wrong::Flagged { .. } => "flagged",
        }
    }
}

/// An execution that is wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    /// What is wrong.
    pub wrong: Wrong,
    /// The execution.
    pub trace: Trace,
    /// What replay worked out about it.
    pub explanation: Explanation,
    /// Serial observations that come nearest to what was observed, with the slots that differ.
    pub nearest: Vec<(Observation, Vec<usize>)>,
    /// Whether already a serial execution is wrong.
    pub serial: bool,
}

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// No execution within the scope is wrong, and there is one.
    Holds,
    /// This one is.
    Violated(Box<Counterexample>),
    /// A limit was reached first.
    Inconclusive(Reason),
}

impl Verdict {
    /// The answer in a word.
    pub fn kind(&self) -> Kind {
        match self {
            Verdict::Holds => Kind::Holds,
            Verdict::Violated(_) => Kind::Violated,
            Verdict::Inconclusive(_) => Kind::Inconclusive,
        }
    }
}

/// A loop or recursion of the source, over all its instances.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopBound {
    /// Its place.
    pub span: Span,
    /// How many instances the unrolled program has.
    pub instances: usize,
    /// The most repetitions of any of them.
    pub bound: u32,
    /// Whether it waits, and became an assumption.
    pub spin: bool,
    /// Whether it is a recursion.
    pub recursion: bool,
}

/// What the verdict speaks of.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scope {
    /// Threads that run side by side.
    pub threads: usize,
    /// Calls of operations.
    pub calls: usize,
    /// Ways to choose the open arguments, all of them covered; `u64::MAX` stands for any larger number.
    pub inputs: u64,
    /// Loops that branches decide; none if the engine does not unroll.
    pub loops: Vec<LoopBound>,
    /// Observations in the specification; none without one.
    pub observations: Option<usize>,
    /// Serial executions of single calls that the specification was mined from.
    pub serial_calls: u64,
    /// How orders of C are compiled to the machine whose model it is, if that is a question.
    pub mapping: Option<&'static str>,
    /// How states were visited, if they were.
    pub visited: Option<Visited>,
    /// Things the program does that were not explored, for people.
    pub caveats: Vec<String>,
    /// A data race that an execution has, if one was noticed.
    pub race: Option<Race>,
}

/// Plain accesses of different threads, one of them a store, that nothing orders.
#[derive(Clone, PartialEq, Debug)]
pub struct Race {
    /// What they access.
    pub place: String,
    /// Where they are.
    pub at: [Span; 2],
}

/// How the states of a program were visited.
#[derive(Clone, PartialEq, Debug)]
pub struct Visited {
    /// How store buffers were represented, as `--abstraction` names it.
    pub abstraction: String,
    /// States.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Switches of threads that could have gone on, at most, if that was bounded.
    pub preemptions: Option<u32>,
}

/// What a check cost.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statistics {
    /// Rounds of unrolling.
    pub rounds: u32,
    /// Statements of the unrolled program.
    pub instructions: usize,
    /// Loads in it.
    pub loads: usize,
    /// Stores in it.
    pub stores: usize,
    /// Variables of the formula.
    pub variables: u64,
    /// Clauses of the formula.
    pub clauses: u64,
    /// Conflicts of the solver.
    pub conflicts: u64,
    /// Time spent on mining.
    pub mine_time: Duration,
    /// Time spent on unrolling and encoding.
    pub encode_time: Duration,
    /// Time spent in the solver.
    pub solve_time: Duration,
    /// Time of the whole check.
    pub total_time: Duration,
    /// Peak memory of the process so far, in bytes, where the system tells.
    pub peak_memory: Option<u64>,
}

/// A check and its result.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckResult {
    /// The file.
    pub file: String,
    /// The test's name; `main` for a closed program.
    pub test: String,
    /// The test in its notation; empty for a closed program.
    pub notation: String,
    /// The memory model.
    pub model: String,
    /// What was checked.
    pub property: Property,
    /// The answer.
    pub verdict: Verdict,
    /// What it speaks of.
    pub scope: Scope,
    /// What it cost.
    pub statistics: Statistics,
}
