//! Sweeps as questions: a placement holds if all schedules of a scope do, each explored with store buffers.
//!
//! A schedule that failed once is asked first, and alone while its correction set is looked for.

use super::Search;
use crate::check::Stage;
use crate::open;
use crate::sweep::{self, Sweep, Work};
use fencepost_bounded::switched::Tried;
use fencepost_fences::asking;
use fencepost_fences::guided::Trial;
use fencepost_fences::place::resolve;
use fencepost_harness::budget::peak_memory;
use fencepost_harness::client::Client;
use fencepost_harness::engine::{self, Finding};
use fencepost_harness::operation::Harness;
use fencepost_harness::result::{CheckResult, Counterexample, Property, Scope, Statistics, Verdict, Visited};
use fencepost_harness::schedule::Schedules;
use fencepost_harness::sweep::Summary;
use fencepost_harness::test::Test;
use fencepost_harness::verdict::{Kind, Reason};
use fencepost_lsl::program::Placement;
use fencepost_models::Model;
use std::time::Instant;

/// A sweep of the program with slots, on a machine.
pub(super) struct Swept<'a> {
    search: &'a Search<'a>,
    model: &'a Model,
    /// Numbers of schedules that failed with some placement; the last one failed last.
    failing: Vec<u64>,
    failed: Option<Placement>,
}

impl<'a> Swept<'a> {
    pub(super) fn new(search: &'a Search<'a>, model: &'a Model) -> Swept<'a> {
        Swept { search, model, failing: Vec::new(), failed: None }
    }

    /// The sweep of the program with some fences.
    fn sweep(&self, on: &Placement) -> Result<Sweep, Reason> {
        let harness = &self.search.request.session.harness;
        let program = resolve(&harness.program, on);
        self.search.request.sweep(Harness { program, ..harness.clone() }, self.model)
    }

    /// Whether one schedule fails.
    fn fails(&self, sweep: &Sweep, number: u64) -> Result<bool, Reason> {
        let client = client(sweep, number)?;
        match sweep.explore(number, &client, &self.search.budget(), &|_| {})?.finding {
            Finding::Holds => Ok(false),
            Finding::Violated { .. } => Ok(true),
            Finding::Inconclusive(reason) => Err(reason),
        }
    }
}

impl Trial for Swept<'_> {
    fn check(&mut self, on: &Placement) -> Result<Tried, Reason> {
        let sweep = self.sweep(on)?;
        let mut wrong = None;
        for &number in self.failing.iter().rev() {
            if self.fails(&sweep, number)? {
                wrong = Some(number);
                break;
            }
        }
        if wrong.is_none() {
            let summary = self.search.run(&sweep)?;
            wrong = match summary.verdict {
                Kind::Holds => None,
                _ => Some(summary.violations.first().ok_or_else(|| undecided(&summary))?.number),
            };
        }
        let Some(number) = wrong else { return Ok(Tried::Holds) };
        self.failing.retain(|other| *other != number);
        self.failing.push(number);
        self.failed = Some(on.clone());
        Ok(Tried::Violated)
    }

    fn correction(&mut self) -> Result<Placement, Reason> {
        let (Some(failed), Some(&number)) = (self.failed.take(), self.failing.last()) else {
            return Err(Reason::Internal("a correction of nothing is asked for".into()));
        };
        let request = self.search.request;
        let slots = request.session.harness.program.slots.len();
        let mut fails = |on: &Placement| self.fails(&self.sweep(on)?, number);
        asking::correction(slots, &request.kinds, failed, &mut fails)
    }

    /// Of the same schedule.
    fn still_fails(&mut self, on: &Placement) -> Result<bool, Reason> {
        let Some(&number) = self.failing.last() else { return Ok(false) };
        let fails = self.fails(&self.sweep(on)?, number)?;
        self.failed = fails.then(|| on.clone());
        Ok(fails)
    }
}

impl Search<'_> {
    /// A sweep as a check, with the schedule that fails.
    pub(super) fn swept(&self, harness: Harness, model: &Model) -> (Option<Test>, CheckResult) {
        let start = Instant::now();
        let caveats = open::swept(&harness, self.terms.reuse);
        let mut result = CheckResult {
            file: self.request.session.file.clone(),
            test: "sweep".into(),
            notation: String::new(),
            model: model.name.clone(),
            property: Property::Schedules,
            verdict: Verdict::Holds,
            scope: Scope { caveats, ..Scope::default() },
            statistics: Statistics::default(),
        };
        let found = self.request.sweep(harness, model).and_then(|sweep| self.judged(&sweep, &mut result));
        let test = found.unwrap_or_else(|reason| {
            result.verdict = Verdict::Inconclusive(reason);
            None
        });
        result.statistics =
            Statistics { total_time: start.elapsed(), peak_memory: peak_memory(), ..Statistics::default() };
        (test, result)
    }

    fn judged(&self, sweep: &Sweep, result: &mut CheckResult) -> Result<Option<Test>, Reason> {
        let summary = self.run(sweep)?;
        result.scope.visited = Some(Visited {
            abstraction: "none".into(),
            states: summary.tally.states,
            transitions: summary.tally.transitions,
            preemptions: sweep.options.preemptions,
        });
        let left_out = sweep.not_called.iter().map(|name| format!("calls of `{name}`"));
        result.scope.caveats.extend(left_out);
        let number = match (summary.verdict, summary.violations.first()) {
            (Kind::Violated, Some(record)) => record.number,
            (Kind::Holds, _) => return Ok(None),
            _ => return Err(undecided(&summary)),
        };
        let client = client(sweep, number)?;
        let found = sweep.counterexample(number, &client, &self.budget())?;
        let test = client.as_test(format!("schedule {number}"));
        result.test.clone_from(&test.name);
        result.notation = client.show(&sweep.harness);
        result.verdict = Verdict::Violated(Box::new(Counterexample {
            wrong: found.wrong,
            trace: found.trace,
            explanation: found.explanation,
            nearest: Vec::new(),
            serial: false,
        }));
        Ok(Some(test))
    }

    fn run(&self, sweep: &Sweep) -> Result<Summary, Reason> {
        let jobs = self.request.sweeps.as_ref().map_or(1, |sweeps| sweeps.jobs);
        let work = Work { jobs, ..Work::default() };
        let mut report = |progress: sweep::SweepProgress| {
            (self.progress)(Stage::Engine(engine::Progress::States(progress.states)))
        };
        sweep::run(sweep, &work, &self.budget(), &mut |_| Ok(()), &mut report)
            .map_err(|error| Reason::Unsupported(format!("a sweep that cannot start threads: {error}")))
    }
}

fn client(sweep: &Sweep, number: u64) -> Result<Client, Reason> {
    // They were counted before, to come to this number.
    let schedule = Schedules::new(sweep.scope.clone()).get(number);
    sweep.client(&schedule.ok_or_else(|| Reason::Internal("there is no such schedule".into()))?)
}

/// Why a sweep has no answer.
fn undecided(summary: &Summary) -> Reason {
    let why = summary.reason.clone().unwrap_or_else(|| "no schedule was explored".into());
    Reason::Method(format!("{} of {} schedules are not decided: {why}", summary.undecided, summary.total))
}
