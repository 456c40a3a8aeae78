//! Sweeps as text: a line for the verdict, and a counterexample with its history in columns, the sequential
//! explanations that fail, and the execution.

use crate::text::{BAD, BOLD, FAINT, GOOD, RESET, UNSURE, count};
use crate::trace::Renderer;
use fencepost_harness::client::FixedCall;
use fencepost_harness::consistency::Property;
use fencepost_harness::consistency::explain::{Attempt, Reason};
use fencepost_harness::consistency::history::{End, Event, History, HistoryCall};
use fencepost_harness::operation::Harness;
use fencepost_harness::oracle::role::Role;
use fencepost_harness::result::{self, Wrong};
use fencepost_harness::schedule::Scope;
use fencepost_harness::sweep::{Counterexample, Summary};
use fencepost_harness::verdict::Kind;
use fencepost_lsl::value::Value;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// The verdict of a sweep, with what is behind it.
pub fn verdict(summary: &Summary, seconds: f64) -> String {
    let style = match summary.verdict {
        Kind::Holds => GOOD,
        Kind::Violated => BAD,
        Kind::Inconclusive => UNSURE,
    };
    let tally = &summary.tally;
    let mut out = format!("{style}{}{RESET}", summary.verdict);
    // Part of a sweep says nothing of the whole.
    if let Some((index, count)) = summary.shard {
        let _ = write!(out, " for shard {}/{count}", index + 1);
    }
    let _ = write!(out, " {seconds:>8.2} s");
    let (done, all) = (tally.schedules == summary.total, number(tally.schedules));
    let schedules = match (done, summary.shard) {
        (true, None) if summary.total < 2 => numbered(summary.total, "schedule"),
        (true, None) => format!("all {all} schedules"),
        (true, Some(_)) => format!("{all} of {}", numbered(summary.of_scope, "schedule")),
        (false, None) => format!("{all} of {}", numbered(summary.total, "schedule")),
        (false, Some(_)) => format!(
            "{all} of the {} of the shard, of {} in all",
            numbered(summary.total, "schedule"),
            number(summary.of_scope)
        ),
    };
    let _ = write!(
        out,
        "  {schedules}, {}; ends: {} complete, {} stuck",
        numbered(tally.states, "state"),
        number(tally.complete),
        number(tally.stuck)
    );
    if summary.violations.len() > 1 {
        let _ = write!(out, "; {} schedules are violated", number(summary.violations.len() as u64));
    }
    for note in notes(summary) {
        let _ = write!(out, "\n  {note}");
    }
    if let Some(reason) = &summary.reason {
        let _ = write!(out, "\n  {reason}");
    }
    if summary.undecided > 1 || summary.undecided == 1 && summary.verdict != Kind::Inconclusive {
        let were = if summary.undecided == 1 { "was" } else { "were" };
        let _ = write!(out, "\n  {} {were} not decided", numbered(summary.undecided, "schedule"));
    }
    out
}

/// What else is to be said of a verdict.
pub fn notes(summary: &Summary) -> Vec<String> {
    let mut notes = Vec::new();
    if summary.verdict == Kind::Holds && summary.tally.complete == 0 {
        notes.push(
            "in no execution have all calls returned: each ends with threads that wait for ever".into(),
        );
    }
    notes
}

/// What a sweep covers, in a line. Bounds that can miss something are named; `more` says how each schedule
/// is explored.
pub fn scope(scope: &Scope, more: &[String]) -> String {
    let range = |range: &RangeInclusive<usize>, what: &str| match range.start() == range.end() {
        true => count(*range.start(), what),
        false => format!("{}..{} {what}s", range.start(), range.end()),
    };
    let mut parts = vec![
        range(&scope.threads, "thread"),
        range(&scope.steps, "step"),
        range(&scope.pre_adds, "pre-add"),
        count(scope.values, "value"),
    ];
    let roles = || scope.methods.iter().map(|method| method.role);
    let scores = roles().any(|role| role == Role::Insert);
    let items = roles().any(|role| role.adds() && role != Role::Add);
    let only = [
        (scope.generic_values && items, "items numbered as they are added"),
        (scope.distinct_priorities && scores, "distinct priorities"),
        (scope.adds_dominate, "no more removals than additions"),
        (scope.thread_symmetry, "threads in one order"),
    ];
    parts.extend(only.iter().filter(|(wanted, _)| *wanted).map(|(_, what)| (*what).to_owned()));
    parts.extend_from_slice(more);
    parts.join(", ")
}

/// A number of things, one or more.
pub fn numbered(of: u64, noun: &str) -> String {
    format!("{} {noun}{}", number(of), if of == 1 { "" } else { "s" })
}

/// A number with its thousands set apart. Counts of schedules end at the largest number, which stands for more.
pub fn number(number: u64) -> String {
    if number == u64::MAX {
        return "more than 10^19".into();
    }
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A counterexample with all there is to say about it.
pub fn counterexample(harness: &Harness, property: Property, model: &str, found: &Counterexample) -> String {
    let mut out = String::new();
    let shown = Shown { harness, property, found };
    let _ = writeln!(out, "  schedule {}: {}", found.number, found.client.show(harness));
    let test = found.client.as_test(format!("schedule {}", found.number));
    let example = result::Counterexample {
        wrong: found.wrong.clone(),
        trace: found.trace.clone(),
        explanation: found.explanation.clone(),
        nearest: Vec::new(),
        serial: false,
    };
    let renderer = Renderer { harness, test: Some(&test), example: &example, model, brief: true };
    shown.claim(&mut out, &renderer);
    if let Some(history) = &found.history {
        shown.columns(&mut out, history);
        shown.attempts(&mut out, history);
    }
    renderer.execution(&mut out);
    out
}

struct Shown<'a> {
    harness: &'a Harness,
    property: Property,
    found: &'a Counterexample,
}

impl Shown<'_> {
    /// What is wrong, in words.
    fn claim(&self, out: &mut String, renderer: &Renderer) {
        if self.found.wrong != Wrong::Unexplained {
            return renderer.claim(out);
        }
        let what = match self.property {
            Property::Sequential => "sequentially consistent",
            Property::Linear => "linearizable",
            Property::Quiescent => "quiescently consistent",
        };
        let _ = writeln!(out, "  {BAD}not {what}{RESET}: no order of its calls is right");
    }

    fn results(&self, call: &FixedCall, results: &[Value]) -> String {
        let outputs = &self.harness.op(call.op).outputs;
        let shown: Vec<String> =
            outputs.iter().zip(results).map(|(output, &value)| output.label(output.ty.show(value))).collect();
        if shown.is_empty() { "returns".into() } else { shown.join(", ") }
    }

    fn call(&self, call: &HistoryCall) -> String {
        let shown = call.call.show(self.harness);
        match call.results() {
            Some([]) => shown,
            Some(results) => format!("{shown} = {}", self.results(&call.call, results)),
            None => format!("{shown} = ?"),
        }
    }

    /// The history: a column for each thread, a bar for each call, time going down.
    fn columns(&self, out: &mut String, history: &History) {
        let calls = history.calls();
        let threads = self.found.client.threads.len();
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut open: Vec<Option<usize>> = vec![None; threads];
        for (at, event) in history.events.iter().enumerate() {
            let mut row: Vec<String> =
                open.iter().map(|call| if call.is_some() { "│".into() } else { String::new() }).collect();
            match event {
                Event::Invoke(thread, call) => {
                    row[*thread] = format!("┌ {}", call.show(self.harness));
                    open[*thread] = calls.iter().position(|call| call.invoked == at);
                }
                Event::Respond(thread, results) => {
                    let call = open[*thread].take().map(|call| &calls[call].call);
                    let shown = call.map_or(String::new(), |call| self.results(call, results));
                    row[*thread] = format!("└ {shown}");
                }
            }
            rows.push(row);
        }
        if open.iter().any(Option::is_some) {
            let end = if history.end == End::Stuck { "┆ waits for ever" } else { "┆" };
            let row = open.iter().map(|call| if call.is_some() { end.into() } else { String::new() });
            rows.push(row.collect());
        }
        let _ = writeln!(out, "\n  {BOLD}Calls{RESET}");
        for (call, results) in &history.initial {
            let given = match results[..] {
                [] => String::new(),
                _ => format!(" = {}", self.results(call, results)),
            };
            let _ = writeln!(out, "      before: {}{given}", call.show(self.harness));
        }
        let heads: Vec<String> = (1..=threads).map(|thread| format!("thread {thread}")).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.chain([heads[column].len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..threads).map(width).collect();
        for row in std::iter::once(&heads).chain(&rows) {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            let _ = writeln!(out, "      {}", cells.join("   ").trim_end());
        }
    }

    /// The sequential explanations that come nearest, and why each fails.
    fn attempts(&self, out: &mut String, history: &History) {
        let calls = history.calls();
        let attempts = &self.found.attempts;
        if attempts.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n  {BOLD}Sequential explanations that come nearest{RESET}");
        for attempt in attempts {
            let threads: Vec<String> = attempt.stuck.iter().map(|thread| (thread + 1).to_string()).collect();
            let stuck = match &threads[..] {
                [] => String::new(),
                [only] => format!("{FAINT}why thread {only} waits:{RESET} "),
                [others @ .., last] => {
                    format!("{FAINT}why threads {} and {last} wait:{RESET} ", others.join(", "))
                }
            };
            let order: Vec<String> = attempt.order.iter().map(|&call| self.call(&calls[call])).collect();
            let order = if order.is_empty() { "nothing yet".into() } else { order.join("; ") };
            let _ = writeln!(out, "      {stuck}{order}");
            for reason in &attempt.reasons {
                let _ = writeln!(out, "        {FAINT}but{RESET} {}", self.reason(history, &calls, reason));
            }
            self.unsaid(out, attempt);
        }
    }

    fn unsaid(&self, out: &mut String, attempt: &Attempt) {
        if attempt.reasons.is_empty() {
            let _ = writeln!(out, "        {FAINT}but{RESET} nothing can come next");
        }
    }

    fn reason(&self, history: &History, calls: &[HistoryCall], reason: &Reason) -> String {
        let answers = |call: &FixedCall, answers: &[Vec<Value>]| match answers {
            [] => "could not return".to_owned(),
            _ if self.harness.op(call.op).outputs.is_empty() => "would return".to_owned(),
            answers => {
                let shown: Vec<String> = answers
                    .iter()
                    .map(|values| self.results(call, values).replace("undefined", "any"))
                    .collect();
                format!("would give {}", shown.join(" or "))
            }
        };
        match reason {
            Reason::Initial { index, answers: given } => {
                let (call, _) = &history.initial[*index];
                format!("already {} before the threads {}", call.show(self.harness), answers(call, given))
            }
            Reason::Disagrees { call, answers: given } => {
                let call = &calls[*call];
                let thread = call.thread + 1;
                format!("then {} of thread {thread} {}", self.call(call), answers(&call.call, given))
            }
            Reason::Returns { call, answers: given } => {
                let call = &calls[*call];
                format!("then {} {}, not wait", call.call.show(self.harness), answers(&call.call, given))
            }
            Reason::ReturnTogether { calls: some } => {
                let shown: Vec<String> = some
                    .iter()
                    .map(|&call| {
                        format!(
                            "{} of thread {}",
                            calls[call].call.show(self.harness),
                            calls[call].thread + 1
                        )
                    })
                    .collect();
                format!("then {} could return, not wait", shown.join(" and "))
            }
            Reason::Unfinished => "it may not end there".into(),
        }
    }
}
