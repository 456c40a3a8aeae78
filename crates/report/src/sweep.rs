//! The result of a sweep: what was swept, the verdict, and a counterexample with its history and the sequential
//! explanations that fail.

use crate::trace::Trace;
use crate::trace::build::Execution;
use fencepost_harness::client::FixedCall;
use fencepost_harness::consistency::explain::{self, Reason};
use fencepost_harness::consistency::history::{self, End, History, HistoryCall};
use fencepost_harness::operation::Harness;
use fencepost_harness::sweep::{self, Head, Record, Summary, Tally};
use fencepost_harness::verdict::Kind;
use fencepost_lsl::value::Value;
use schemars::JsonSchema;
use serde::Serialize;

/// A sweep and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sweep {
    /// What was swept.
    #[serde(flatten)]
    pub head: Head,
    /// What only the run itself knows, not its log.
    #[serde(flatten)]
    pub run: Option<Run>,
    /// The answer.
    pub verdict: Kind,
    /// The first reason why it is inconclusive, or what limits the verdict.
    pub reason: Option<String>,
    /// Schedules of the share; 2^64 - 1 stands for any larger number.
    pub schedules_of_share: u64,
    /// Schedules that were explored to the end, or to a violation.
    pub explored: u64,
    /// Schedules that were not decided.
    pub undecided: u64,
    /// Figures of those explored.
    #[serde(flatten)]
    pub tally: Tally,
    /// What else limits the verdict.
    pub notes: Vec<String>,
    /// The violations, by number; only the first, unless it went on after that.
    pub violations: Vec<Record>,
    /// Time of exploration, over all threads and runs.
    pub explore_seconds: f64,
}

/// What a run knows of itself.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Run {
    /// The file.
    pub file: String,
    /// What the program does that was not explored.
    pub not_explored: Vec<String>,
    /// The counterexample of the first violation.
    pub trace: Option<Counterexample>,
    /// Time of all.
    pub total_seconds: f64,
    /// Peak memory of the process, where the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// Why there is no counterexample, although there is a violation.
    #[serde(skip)]
    pub unshown: Option<String>,
}

/// A counterexample of a schedule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Counterexample {
    /// The execution.
    #[serde(flatten)]
    pub execution: Trace,
    /// The number of the schedule.
    pub schedule: u64,
    /// Its calls.
    pub notation: String,
    /// When calls began and returned, if that was recorded.
    pub history: Option<Vec<Moment>>,
    /// The sequential orders that come nearest to explaining it.
    pub attempts: Vec<Attempt>,
    /// Calls before the threads started, with what they returned.
    #[serde(skip)]
    pub initial: Vec<String>,
    /// How many threads the schedule has.
    #[serde(skip)]
    pub threads: usize,
    /// Whether pending calls will never return.
    #[serde(skip)]
    pub stuck: bool,
}

/// The beginning or the end of a call.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Moment {
    /// A thread calls.
    Invoke {
        /// The thread, from one.
        thread: usize,
        /// The call.
        call: String,
    },
    /// Its call returns.
    Respond {
        /// The thread, from one.
        thread: usize,
        /// What it returns.
        results: Vec<String>,
        /// The same with names.
        #[serde(skip)]
        text: String,
    },
}

/// A sequential order of calls that fails as an explanation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Attempt {
    /// Indices of calls of the history.
    pub order: Vec<usize>,
    /// The first of `stuck_threads`.
    pub stuck: Option<usize>,
    /// The threads, from one, that it should justify; none if it should explain all calls.
    pub stuck_threads: Vec<usize>,
    /// The calls with their results.
    #[serde(skip)]
    pub calls: Vec<String>,
    /// Why it fails.
    #[serde(skip)]
    pub reasons: Vec<String>,
}

/// What a sweep would be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Plan {
    /// Schedules of the share; 2^64 - 1 stands for any larger number.
    pub schedules: u64,
    /// Schedules of the scope.
    pub schedules_of_scope: u64,
    /// The first of them.
    pub first: Vec<Numbered>,
    /// What is covered.
    #[serde(skip)]
    pub scope: String,
}

/// A schedule and its number.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Numbered {
    /// The number.
    pub schedule: u64,
    /// The calls.
    pub notation: String,
}

impl Sweep {
    /// What a sweep found; `run` is none if that was read from logs.
    pub fn new(head: Head, run: Option<Run>, summary: Summary) -> Sweep {
        let mut notes = Vec::new();
        if summary.verdict == Kind::Holds && summary.tally.complete == 0 {
            notes.push(
                "in no execution have all calls returned: each ends with threads that wait for ever".into(),
            );
        }
        Sweep {
            head,
            run,
            verdict: summary.verdict,
            reason: summary.reason,
            schedules_of_share: summary.total,
            explored: summary.tally.schedules,
            undecided: summary.undecided,
            tally: summary.tally,
            notes,
            violations: summary.violations,
            explore_seconds: summary.seconds,
        }
    }
}

impl Counterexample {
    /// A counterexample of a client.
    pub fn new(harness: &Harness, found: &sweep::Counterexample) -> Counterexample {
        let test = found.client.as_test(format!("schedule {}", found.number));
        let (wrong, trace, explanation) = (&found.wrong, &found.trace, &found.explanation);
        let execution = Execution { harness, test: Some(&test), wrong, trace, explanation };
        // The history says more than an observation, which has no order.
        let execution = Trace { observed: None, ..execution.describe(&[], false) };
        let history =
            found.history.as_ref().map(|history| Shown { harness, history, calls: history.calls() });
        let attempts = |shown: &Shown| found.attempts.iter().map(|attempt| shown.attempt(attempt)).collect();
        Counterexample {
            execution,
            schedule: found.number,
            notation: found.client.show(harness),
            attempts: history.as_ref().map_or(Vec::new(), attempts),
            initial: history.as_ref().map_or(Vec::new(), Shown::initial),
            threads: found.client.threads.len(),
            stuck: history.as_ref().is_some_and(|shown| shown.history.end == End::Stuck),
            history: history.as_ref().map(Shown::moments),
        }
    }
}

/// A history in words.
struct Shown<'a> {
    harness: &'a Harness,
    history: &'a History,
    calls: Vec<HistoryCall>,
}

impl Shown<'_> {
    fn results(&self, call: &FixedCall, results: &[Value]) -> String {
        let outputs = self.harness.op(call.op).outputs.iter().zip(results);
        let shown: Vec<String> =
            outputs.map(|(output, &value)| output.label(output.ty.show(value))).collect();
        if shown.is_empty() { "returns".into() } else { shown.join(", ") }
    }

    /// A call with its results; none if it did not return.
    fn call(&self, call: &FixedCall, results: Option<&[Value]>) -> String {
        let shown = call.show(self.harness);
        match results {
            Some([]) => shown,
            Some(results) => format!("{shown} = {}", self.results(call, results)),
            None => format!("{shown} = ?"),
        }
    }

    fn initial(&self) -> Vec<String> {
        self.history.initial.iter().map(|(call, results)| self.call(call, Some(results))).collect()
    }

    fn moments(&self) -> Vec<Moment> {
        let moment = |(at, event): (usize, &history::Event)| match event {
            history::Event::Invoke(thread, call) => {
                Moment::Invoke { thread: thread + 1, call: call.show(self.harness) }
            }
            history::Event::Respond(thread, results) => {
                let ended = |call: &&HistoryCall| call.responded.as_ref().is_some_and(|(end, _)| *end == at);
                let call = self.calls.iter().find(ended).map(|call| &call.call);
                Moment::Respond {
                    thread: thread + 1,
                    results: results.iter().map(ToString::to_string).collect(),
                    text: call.map_or(String::new(), |call| self.results(call, results)),
                }
            }
        };
        self.history.events.iter().enumerate().map(moment).collect()
    }

    fn attempt(&self, attempt: &explain::Attempt) -> Attempt {
        let stuck_threads: Vec<usize> = attempt.stuck.iter().map(|thread| thread + 1).collect();
        let calls = attempt.order.iter().map(|&call| &self.calls[call]);
        Attempt {
            order: attempt.order.clone(),
            stuck: stuck_threads.first().copied(),
            stuck_threads,
            calls: calls.map(|call| self.call(&call.call, call.results())).collect(),
            reasons: attempt.reasons.iter().map(|reason| self.reason(reason)).collect(),
        }
    }

    /// What an oracle would have a call return.
    fn answers(&self, call: &FixedCall, answers: &[Vec<Value>]) -> String {
        match answers {
            [] => "could not return".to_owned(),
            _ if self.harness.op(call.op).outputs.is_empty() => "would return".to_owned(),
            answers => {
                let shown =
                    answers.iter().map(|values| self.results(call, values).replace("undefined", "any"));
                format!("would give {}", shown.collect::<Vec<_>>().join(" or "))
            }
        }
    }

    fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::Initial { index, answers } => {
                let (call, _) = &self.history.initial[*index];
                format!(
                    "already {} before the threads {}",
                    call.show(self.harness),
                    self.answers(call, answers)
                )
            }
            Reason::Disagrees { call, answers } => {
                let HistoryCall { thread, call: what, .. } = &self.calls[*call];
                let call = self.call(what, self.calls[*call].results());
                format!("then {call} of thread {} {}", thread + 1, self.answers(what, answers))
            }
            Reason::Returns { call, answers } => {
                let call = &self.calls[*call].call;
                format!("then {} {}, not wait", call.show(self.harness), self.answers(call, answers))
            }
            Reason::ReturnTogether { calls } => {
                let shown = calls.iter().map(|&call| {
                    let HistoryCall { thread, call, .. } = &self.calls[call];
                    format!("{} of thread {}", call.show(self.harness), thread + 1)
                });
                format!("then {} could return, not wait", shown.collect::<Vec<_>>().join(" and "))
            }
            Reason::Unfinished => "it may not end there".into(),
        }
    }
}
