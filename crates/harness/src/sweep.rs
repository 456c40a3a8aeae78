//! What a sweep over schedules is of, and what it finds: figures, and a counterexample with its history.

use crate::client::Client;
use crate::consistency::explain::Attempt;
use crate::consistency::history::History;
use crate::result::Wrong;
use crate::trace::{Explanation, Trace};
use crate::verdict::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An execution of a client that is wrong.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The number of its schedule.
    pub number: u64,
    /// The client.
    pub client: Client,
    /// What is wrong.
    pub wrong: Wrong,
    /// The execution.
    pub trace: Trace,
    /// What replay worked out about it.
    pub explanation: Explanation,
    /// When its calls began and returned, if that was recorded.
    pub history: Option<History>,
    /// The sequential orders that come nearest to explaining it.
    pub attempts: Vec<Attempt>,
}

/// What is swept: whatever decides verdicts and numbers of schedules. It begins a log, and every report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// The form of logs.
    pub log: u64,
    /// The version of the program.
    pub fencepost: String,
    /// The file.
    pub sweep: String,
    /// What is covered, for people.
    pub scope: String,
    /// The share of the schedules, as in `2/4`; null if it is all of them.
    pub shard: Option<String>,
    /// A hash of the program and of its reference, so that a log does not outlive a change of the file.
    pub program: String,
    /// What says what operations should do.
    pub oracle: String,
    /// How calls wait for each other.
    pub protocol: String,
    /// The operations of the collection.
    pub operations: Vec<String>,
    /// Operations of the file that no schedule calls.
    pub not_called: Vec<String>,
    /// Which order of calls an explanation must keep.
    pub property: String,
    /// What justifies that threads are stuck: `each` or `together`.
    pub stuck_threads: String,
    /// The memory model.
    pub model: String,
    /// The least and the most threads.
    pub threads: [usize; 2],
    /// The least and the most steps.
    pub steps: [usize; 2],
    /// The least and the most pre-adds.
    pub preadds: [usize; 2],
    /// Arguments are less than this.
    pub values: usize,
    /// Whether items are numbered as they are added.
    pub generic_values: bool,
    /// Whether all scores differ.
    pub distinct_priorities: bool,
    /// Whether there are no more removals than additions.
    pub adds_dominate: bool,
    /// Whether one schedule stands for all that differ in the order of threads.
    pub thread_symmetry: bool,
    /// Switches of threads that could have gone on, at most, if that is bounded.
    pub preemptions: Option<u32>,
    /// Whether leaks are violations.
    pub leaks: bool,
    /// Whether freed memory is used again.
    pub reuse: bool,
    /// Which endless executions are violations: `ignore`, `unfair`, `fair` or `strong`.
    pub endless: String,
    /// The schedules of the scope, if they were counted; 2^64 - 1 stands for any larger number.
    pub schedules: Option<u64>,
}

/// Figures of some schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Schedules that were explored to the end, or to a violation.
    #[serde(skip, default = "one")]
    pub schedules: u64,
    /// States of all of them.
    pub states: u64,
    /// Steps between states.
    pub transitions: u64,
    /// States in which all calls have returned.
    pub complete: u64,
    /// States in which threads wait for ever.
    pub stuck: u64,
}

/// A record is of one schedule.
fn one() -> u64 {
    1
}

impl Tally {
    /// Adds the figures of others.
    pub fn add(&mut self, other: &Tally) {
        self.schedules += other.schedules;
        self.states += other.states;
        self.transitions += other.transitions;
        self.complete += other.complete;
        self.stuck += other.stuck;
    }
}

/// What became of a schedule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Its number.
    #[serde(rename = "schedule")]
    pub number: u64,
    /// The client.
    pub notation: String,
    /// The verdict.
    pub verdict: Kind,
    /// Why it is inconclusive, or what is wrong in a word.
    pub reason: Option<String>,
    /// Figures.
    #[serde(flatten)]
    pub tally: Tally,
    /// Time in seconds.
    pub seconds: f64,
}

/// What a sweep found.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The answer.
    pub verdict: Kind,
    /// The first reason why it is inconclusive, or what limits the verdict.
    pub reason: Option<String>,
    /// The share: its index and the number of shares; none if it is all of the scope.
    pub shard: Option<(u64, u64)>,
    /// Schedules of this share.
    pub total: u64,
    /// Schedules of the scope.
    pub of_scope: u64,
    /// Figures, up to the first violation unless it went on after that.
    pub tally: Tally,
    /// The violations, by number; only the first, unless it went on after that.
    pub violations: Vec<Record>,
    /// Schedules that were not decided.
    pub undecided: u64,
    /// Seconds of exploration, over all threads and runs.
    pub seconds: f64,
}
