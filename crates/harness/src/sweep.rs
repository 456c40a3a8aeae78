//! What a sweep over schedules finds: figures, and a counterexample with its history.

use crate::client::Client;
use crate::consistency::explain::Attempt;
use crate::consistency::history::History;
use crate::result::Wrong;
use crate::trace::{Explanation, Trace};
use crate::verdict::Kind;

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

/// Figures of some schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Schedules that were explored to the end, or to a violation.
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
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Its number.
    pub number: u64,
    /// The client.
    pub notation: String,
    /// The verdict.
    pub verdict: Kind,
    /// Why it is inconclusive, or what is wrong in a word.
    pub reason: Option<String>,
    /// Figures.
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
