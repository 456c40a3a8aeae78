//! Reports as text, one result after the other, so that each can be told when it is there.

mod fences;
mod sweep;
mod trace;

use crate::Outcome;
use crate::check::{Check, Loop, Scope};
use crate::trace::{Trace, Wrong};
use anstyle::{AnsiColor, Reset, Style};
use fencepost_harness::result::Property;
use fencepost_harness::verdict::Kind;
use std::fmt::Write;

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const UNSURE: Style = AnsiColor::Yellow.on_default().bold();
const RESET: Reset = Reset;

/// A result, without a line break at its end; `detail` asks for whole counterexamples and scopes.
pub fn render(outcome: &Outcome, detail: bool) -> String {
    match outcome {
        Outcome::Check(check) if detail => whole(check),
        Outcome::Check(check) => line(check),
        Outcome::Fences(fences) => fences::render(fences, detail),
        Outcome::Sweep(sweep) => sweep::render(sweep, detail),
        Outcome::Plan(plan) => sweep::plan(plan),
    }
}

fn style(verdict: Kind) -> Style {
    match verdict {
        Kind::Holds => GOOD,
        Kind::Violated => BAD,
        Kind::Inconclusive => UNSURE,
    }
}

/// A check in one line; for one that holds, and a line for each thing that this leaves open.
fn line(check: &Check) -> String {
    let (style, verdict) = (style(check.verdict), check.verdict.to_string());
    let time = seconds(check.statistics.total_seconds);
    let mut line = format!("{:<6} {:<8} {style}{verdict:<12}{RESET} {time:>8}", check.test, check.model);
    let mapping =
        check.scope.mapping.as_ref().map(|mapping| format!(", mapping {mapping}")).unwrap_or_default();
    if check.verdict == Kind::Holds {
        let _ = write!(line, "  {FAINT}{}{mapping}{RESET}", scope(check));
        for open in left_open(&check.scope) {
            let _ = write!(line, "\n  {open}");
        }
    }
    let why = check.trace.as_ref().map(reason).or_else(|| check.reason.clone());
    _ = why.map(|why| write!(line, "  {why}{FAINT}{mapping}{RESET}"));
    line
}

/// A check with all there is to say about it: the counterexample, or the scope of the verdict.
fn whole(check: &Check) -> String {
    format!("{}\n{}", line(check), detail(check))
}

fn detail(check: &Check) -> String {
    let mut out = String::new();
    if !check.notation.is_empty() {
        let _ = writeln!(out, "  {} = {}", check.test, check.notation);
    }
    match &check.trace {
        Some(trace) => trace::render(trace, &check.model, &mut out),
        None => scope_lines(check, &mut out),
    }
    out
}

/// What a verdict leaves open, a line each.
fn left_open(scope: &Scope) -> Vec<String> {
    let mut lines: Vec<String> =
        scope.not_explored.iter().map(|caveat| format!("not explored: {caveat}")).collect();
    if let Some(race) = &scope.race {
        let [first, second] = &race.at;
        lines.push(format!(
            "data race: an execution does not order the accesses to {} at {} and {}, which are not both \
             atomic; C11 gives such programs no meaning, here they access memory like any others",
            race.place,
            first.short(),
            second.short()
        ));
    }
    lines
}

/// What a rule is about that an execution breaks.
fn flagged(rule: &str) -> String {
    match rule {
        "data-race" => "a data race".into(),
        rule => format!("the model flags it: {rule}"),
    }
}

/// Why an execution is wrong, in a few words.
fn reason(trace: &Trace) -> String {
    match (&trace.fault, trace.wrong) {
        (Some(fault), _) if trace.serial => format!("{}, even when operations run one by one", fault.fault),
        (Some(fault), _) => fault.fault.clone(),
        (None, Wrong::Stuck) => "threads wait for ever".into(),
        (None, Wrong::Endless) => "an execution that never ends".into(),
        (None, Wrong::Flagged) => trace.flagged.as_ref().map_or(String::new(), |found| flagged(&found.rule)),
        (None, Wrong::Leak) => "a heap object is lost before it is freed".into(),
        (None, Wrong::Unexplained) => "no order of its calls is right".into(),
        (None, Wrong::Observation) => "an observation that no serial execution gives".into(),
        (None, Wrong::Fault) => "an error that the trace does not show".into(),
    }
}

/// What a verdict speaks of, in a few words.
fn scope(check: &Check) -> String {
    let scope = &check.scope;
    let mut parts = Vec::new();
    if let Some(observations) = check.observations {
        parts.push(count(observations, "observation"));
    }
    if check.property == Property::Assertions {
        parts.push(count(scope.threads, "thread"));
    }
    if let Some((abstraction, visited)) = visited(scope) {
        parts.push(if abstraction == "none" { "exact".into() } else { format!("abstraction {abstraction}") });
        parts.push(visited);
        parts.extend(
            scope.preemptions.map(|bound| format!("at most {}", count(bound as usize, "preemption"))),
        );
    }
    let real: Vec<&Loop> = scope.loops.iter().filter(|info| !info.waits).collect();
    if !real.is_empty() {
        let instances: usize = real.iter().map(|info| info.instances).sum();
        let most = real.iter().map(|info| info.bound).max().unwrap_or(0);
        parts.push(format!("{} unrolled up to {most}×", count(instances, "loop instance")));
    }
    parts.join(", ")
}

/// The abstraction, and how many states and transitions were visited with it.
fn visited(scope: &Scope) -> Option<(&str, String)> {
    let (states, transitions) = (scope.states? as usize, scope.transitions? as usize);
    let visited = format!("{}, {}", count(states, "state"), count(transitions, "transition"));
    Some((scope.abstraction.as_deref()?, visited))
}

/// A count with its noun.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn seconds(time: f64) -> String {
    format!("{time:.2} s")
}

fn scope_lines(check: &Check, out: &mut String) {
    let scope = &check.scope;
    if check.property == Property::Serial {
        let inputs = match scope.inputs {
            1 => "the one way".to_owned(),
            u64::MAX => "each of more than 10^19 ways".to_owned(),
            inputs => format!("all {inputs} ways"),
        };
        let (threads, calls) = (count(scope.threads, "thread"), count(scope.calls, "call"));
        let _ = writeln!(out, "  {threads}, {calls}, {inputs} to choose arguments");
    }
    if let Some(observations) = check.observations {
        let _ = writeln!(
            out,
            "  specification: {} of serial executions, from {} run alone",
            count(observations, "observation"),
            count(scope.serial_calls as usize, "call")
        );
    }
    if let Some((abstraction, visited)) = visited(scope) {
        let how = match abstraction {
            "none" => "store buffers as they are".to_owned(),
            other => format!("store buffers of any length, by the abstraction {other}"),
        };
        let _ = writeln!(out, "  executions of any length, {how}: {visited}");
    }
    for Loop { at, instances, bound, waits, recursion } in &scope.loops {
        let kind = if *recursion { "recursion" } else { "loop" };
        let how = match waits {
            true => "repeats only without effect, so one round stands for all".to_owned(),
            false => format!("at most {bound}×"),
        };
        let _ = writeln!(out, "  {kind} at {at}: {}, {how}", count(*instances, "instance"));
    }
    // Those of what holds stand beside the verdict.
    if check.verdict == Kind::Inconclusive {
        for open in left_open(scope) {
            let _ = writeln!(out, "  {open}");
        }
    }
}
