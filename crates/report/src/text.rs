//! Results as text.

use crate::trace::Renderer;
use anstyle::{AnsiColor, Reset, Style};
use fencepost_harness::operation::Harness;
use fencepost_harness::result::{CheckResult, LoopBound, Property, Verdict, Visited, Wrong};
use fencepost_harness::test::Test;
use fencepost_harness::verdict::Kind;
use fencepost_lsl::source::Position;
use std::fmt::Write;
use std::time::Duration;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const UNSURE: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const RESET: Reset = Reset;

/// A result in one line; for one that holds, and a line for each thing that this leaves open.
pub fn line(harness: &Harness, result: &CheckResult) -> String {
    let style = match result.verdict.kind() {
        Kind::Holds => GOOD,
        Kind::Violated => BAD,
        Kind::Inconclusive => UNSURE,
    };
    let verdict = result.verdict.kind().to_string();
    let time = seconds(result.statistics.total_time);
    let mut line = format!("{:<6} {:<8} {style}{verdict:<12}{RESET} {time:>8}", result.test, result.model);
    match &result.verdict {
        Verdict::Holds => {
            let _ = write!(line, "  {FAINT}{}{RESET}", scope(result));
            for open in left_open(harness, result) {
                let _ = write!(line, "\n  {open}");
            }
        }
        Verdict::Violated(example) => _ = write!(line, "  {}", reason(example)),
        Verdict::Inconclusive(reason) => _ = write!(line, "  {reason}"),
    }
    line
}

/// What a verdict leaves open, a line each.
fn left_open(harness: &Harness, result: &CheckResult) -> Vec<String> {
    let mut lines: Vec<String> =
        result.scope.caveats.iter().map(|caveat| format!("not explored: {caveat}")).collect();
    if let Some(race) = &result.scope.race {
        let [first, second] = race.at.map(|span| harness.program.sources.position(span));
        let file = |position: &Position| position.file.rsplit('/').next().map(str::to_owned);
        let place = |position: &Position| format!("{}:{}", file(position).unwrap_or_default(), position.line);
        lines.push(format!(
            "data race: an execution does not order the accesses to {} at {} and {}, which are not both \
             atomic; C11 gives such programs no meaning, here they access memory like any others",
            race.place,
            place(&first),
            place(&second)
        ));
    }
    lines
}

/// What a rule of a model is about that an execution breaks.
pub(crate) fn flagged(rule: &str) -> String {
    match rule {
        "data-race" => "a data race".into(),
        rule => format!("the model flags it: {rule}"),
    }
}

/// Why an execution is wrong, in a few words.
pub(crate) fn reason(example: &fencepost_harness::result::Counterexample) -> String {
    match (example.trace.fault(), &example.wrong) {
        (Some((_, fault, _)), _) if example.serial => format!("{fault}, even when operations run one by one"),
        (Some((_, fault, _)), _) => fault.to_string(),
        (None, Wrong::Stuck(_)) => "threads wait for ever".into(),
        (None, Wrong::Endless { .. }) => "an execution that never ends".into(),
        (None, Wrong::Flagged { rule, .. }) => flagged(rule),
        (None, Wrong::Leak(_)) => "a heap object is lost before it is freed".into(),
        (None, Wrong::Unexplained) => "no order of its calls is right".into(),
        (None, Wrong::Observation) => "an observation that no serial execution gives".into(),
        (None, Wrong::Fault) => "an error that the trace does not show".into(),
    }
}

/// What a verdict speaks of, in a few words.
fn scope(result: &CheckResult) -> String {
    let scope = &result.scope;
    let mut parts = Vec::new();
    if let Some(observations) = scope.observations {
        parts.push(count(observations, "observation"));
    }
    if result.property == Property::Assertions {
        parts.push(count(scope.threads, "thread"));
    }
    if let Some(visited) = &scope.visited {
        let (states, transitions) = (visited.states as usize, visited.transitions as usize);
        parts.push(abstraction(visited));
        parts.push(format!("{}, {}", count(states, "state"), count(transitions, "transition")));
        parts.extend(
            visited.preemptions.map(|bound| format!("at most {}", count(bound as usize, "preemption"))),
        );
    }
    let real: Vec<&LoopBound> = scope.loops.iter().filter(|info| !info.spin).collect();
    if !real.is_empty() {
        let instances: usize = real.iter().map(|info| info.instances).sum();
        let most = real.iter().map(|info| info.bound).max().unwrap_or(0);
        parts.push(format!("{} unrolled up to {most}×", count(instances, "loop instance")));
    }
    parts.join(", ")
}

/// How store buffers were represented.
fn abstraction(visited: &Visited) -> String {
    match visited.abstraction.as_str() {
        "none" => "exact".into(),
        other => format!("abstraction {other}"),
    }
}

/// A count with its noun.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// A result with all there is to say about it: the counterexample, or the scope of the verdict.
pub fn detail(harness: &Harness, test: Option<&Test>, result: &CheckResult) -> String {
    let mut out = String::new();
    if !result.notation.is_empty() {
        let _ = writeln!(out, "  {} = {}", result.test, result.notation);
    }
    match &result.verdict {
        Verdict::Violated(example) => {
            out.push_str(&Renderer { harness, test, example, model: &result.model, brief: false }.render());
        }
        Verdict::Holds | Verdict::Inconclusive(_) => scope_lines(harness, result, &mut out),
    }
    out
}

fn scope_lines(harness: &Harness, result: &CheckResult, out: &mut String) {
    let scope = &result.scope;
    if result.property == Property::Serial {
        let inputs = match scope.inputs {
            1 => "the one way".to_owned(),
            u64::MAX => "each of more than 10^19 ways".to_owned(),
            inputs => format!("all {inputs} ways"),
        };
        let _ = writeln!(
            out,
            "  {}, {}, {inputs} to choose arguments",
            count(scope.threads, "thread"),
            count(scope.calls, "call")
        );
    }
    if let Some(observations) = scope.observations {
        let _ = writeln!(
            out,
            "  specification: {} of serial executions, from {} run alone",
            count(observations, "observation"),
            count(scope.serial_calls as usize, "call")
        );
    }
    if let Some(visited) = &scope.visited {
        let how = match visited.abstraction.as_str() {
            "none" => "store buffers as they are".to_owned(),
            other => format!("store buffers of any length, by the abstraction {other}"),
        };
        let (states, transitions) = (visited.states as usize, visited.transitions as usize);
        let (states, transitions) = (count(states, "state"), count(transitions, "transition"));
        let _ = writeln!(out, "  executions of any length, {how}: {states}, {transitions}");
    }
    for info in &scope.loops {
        let at = harness.program.sources.position(info.span);
        let kind = if info.recursion { "recursion" } else { "loop" };
        let how = match (info.spin, info.bound) {
            (true, _) => "repeats only without effect, so one round stands for all".to_owned(),
            (false, bound) => format!("at most {bound}×"),
        };
        let _ = writeln!(out, "  {kind} at {at}: {}, {how}", count(info.instances, "instance"));
    }
    // Those of what holds stand beside the verdict.
    if result.verdict.kind() == Kind::Inconclusive {
        for open in left_open(harness, result) {
            let _ = writeln!(out, "  {open}");
        }
    }
}
