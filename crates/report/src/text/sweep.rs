//! Sweeps as text: a line for the verdict, and a counterexample with its history in columns, the sequential
//! explanations that fail, and the execution.

use super::{BAD, BOLD, FAINT, RESET, style, trace};
use crate::sweep::{Attempt, Counterexample, Moment, Plan, Sweep};
use crate::trace::Wrong;
use fencepost_harness::schedule::{number, numbered};
use fencepost_harness::verdict::Kind;
use std::fmt::Write;

/// What a sweep found; `detail` asks for the counterexample.
pub(super) fn render(sweep: &Sweep, detail: bool) -> String {
    let head = &sweep.head;
    let mut out =
        format!("{}: {}, {}, {} on {}", head.sweep, head.oracle, head.protocol, head.property, head.model);
    let _ = write!(out, "\n  {}\n", head.scope);
    verdict(sweep, &mut out);
    let first = sweep.violations.first();
    let notation = first.map_or("", |first| &first.notation);
    match &sweep.run {
        None => {
            if let Some(first) = first {
                let why = first.reason.as_deref().unwrap_or("wrong");
                let _ = write!(
                    out,
                    "\n  schedule {}: {notation}: {why}\n  the sweep that wrote the log shows how; --resume with its log finds it again at once",
                    first.number
                );
            }
        }
        Some(run) => {
            for open in run.not_explored.iter().filter(|_| sweep.verdict == Kind::Holds) {
                let _ = write!(out, "\n  not explored: {open}");
            }
            if let Some(why) = &run.unshown {
                let _ = write!(out, "\n  {notation}: the counterexample cannot be shown: {why}");
            }
            if let Some(found) = run.trace.as_ref().filter(|_| detail) {
                out.push('\n');
                counterexample(sweep, found, &mut out);
                out.truncate(out.trim_end_matches('\n').len());
            }
        }
    }
    out
}

/// The verdict, with what is behind it.
fn verdict(sweep: &Sweep, out: &mut String) {
    let _ = write!(out, "{}{}{RESET}", style(sweep.verdict), sweep.verdict);
    // Part of a sweep says nothing of the whole. What was not counted has no parts.
    let shard = sweep.head.shard.as_ref().filter(|_| sweep.head.schedules.is_some());
    if let Some(shard) = shard {
        let _ = write!(out, " for shard {shard}");
    }
    let time = sweep.run.as_ref().map_or(sweep.explore_seconds, |run| run.total_seconds);
    let _ = write!(out, " {time:>8.2} s");
    let (total, of_scope) = (sweep.schedules_of_share, sweep.head.schedules.unwrap_or(0));
    let (done, all) = (sweep.explored == total, number(sweep.explored));
    let schedules = match (done, shard) {
        (true, None) if total < 2 => numbered(total, "schedule"),
        (true, None) => format!("all {all} schedules"),
        (true, Some(_)) => format!("{all} of {}", numbered(of_scope, "schedule")),
        (false, None) => format!("{all} of {}", numbered(total, "schedule")),
        (false, Some(_)) => {
            format!(
                "{all} of the {} of the shard, of {} in all",
                numbered(total, "schedule"),
                number(of_scope)
            )
        }
    };
    let (complete, stuck) = (number(sweep.tally.complete), number(sweep.tally.stuck));
    let states = numbered(sweep.tally.states, "state");
    let _ = write!(out, "  {schedules}, {states}; ends: {complete} complete, {stuck} stuck");
    if sweep.violations.len() > 1 {
        let _ = write!(out, "; {} schedules are violated", number(sweep.violations.len() as u64));
    }
    for line in sweep.notes.iter().chain(&sweep.reason) {
        let _ = write!(out, "\n  {line}");
    }
    if sweep.undecided > 1 || sweep.undecided == 1 && sweep.verdict != Kind::Inconclusive {
        let were = if sweep.undecided == 1 { "was" } else { "were" };
        let _ = write!(out, "\n  {} {were} not decided", numbered(sweep.undecided, "schedule"));
    }
}

/// What a sweep would be.
pub(super) fn plan(plan: &Plan) -> String {
    let mut out = format!("{}\n  {}", numbered(plan.schedules, "schedule"), plan.scope);
    for first in &plan.first {
        let _ = write!(out, "\n{:>7}  {}", first.schedule, first.notation);
    }
    if plan.schedules > plan.first.len() as u64 {
        out.push_str("\n      …");
    }
    out
}

fn counterexample(sweep: &Sweep, found: &Counterexample, out: &mut String) {
    let _ = writeln!(out, "  schedule {}: {}", found.schedule, found.notation);
    if found.execution.wrong == Wrong::Unexplained {
        let what = match sweep.head.property.as_str() {
            "sc" => "sequentially consistent",
            "quiescent" => "quiescently consistent",
            _ => "linearizable",
        };
        let _ = writeln!(out, "  {BAD}not {what}{RESET}: no order of its calls is right");
    } else {
        trace::claim(&found.execution, out);
    }
    if let Some(history) = &found.history {
        columns(found, history, out);
        attempts(&found.attempts, out);
    }
    trace::execution(&found.execution, &sweep.head.model, true, out);
}

/// The history: a column for each thread, a bar for each call, time going down.
fn columns(found: &Counterexample, history: &[Moment], out: &mut String) {
    let threads = found.threads;
    let mut rows: Vec<Vec<String>> = vec![(1..=threads).map(|thread| format!("thread {thread}")).collect()];
    let mut open = vec![false; threads];
    let bars = |open: &[bool], bar: &str| -> Vec<String> {
        open.iter().map(|open| if *open { bar.to_owned() } else { String::new() }).collect()
    };
    for moment in history {
        let mut row = bars(&open, "│");
        let (thread, begins, cell) = match moment {
            Moment::Invoke { thread, call } => (thread - 1, true, format!("┌ {call}")),
            Moment::Respond { thread, text, .. } => (thread - 1, false, format!("└ {text}")),
        };
        (row[thread], open[thread]) = (cell, begins);
        rows.push(row);
    }
    if open.contains(&true) {
        rows.push(bars(&open, if found.stuck { "┆ waits for ever" } else { "┆" }));
    }
    let _ = writeln!(out, "\n  {BOLD}Calls{RESET}");
    for call in &found.initial {
        let _ = writeln!(out, "      before: {call}");
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..threads).map(width).collect();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(out, "      {}", cells.join("   ").trim_end());
    }
}

/// The sequential explanations that come nearest, and why each fails.
fn attempts(attempts: &[Attempt], out: &mut String) {
    if attempts.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n  {BOLD}Sequential explanations that come nearest{RESET}");
    for attempt in attempts {
        let threads: Vec<String> = attempt.stuck_threads.iter().map(ToString::to_string).collect();
        let stuck = match &threads[..] {
            [] => String::new(),
            [only] => format!("{FAINT}why thread {only} waits:{RESET} "),
            [others @ .., last] => {
                format!("{FAINT}why threads {} and {last} wait:{RESET} ", others.join(", "))
            }
        };
        let order = if attempt.calls.is_empty() { "nothing yet".into() } else { attempt.calls.join("; ") };
        let _ = writeln!(out, "      {stuck}{order}");
        for reason in &attempt.reasons {
            let _ = writeln!(out, "        {FAINT}but{RESET} {reason}");
        }
        if attempt.reasons.is_empty() {
            let _ = writeln!(out, "        {FAINT}but{RESET} nothing can come next");
        }
    }
}
