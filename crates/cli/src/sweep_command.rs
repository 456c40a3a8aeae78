//! The command `sweep`.

use crate::args::SweepArgs;
use crate::check::{BAD_INPUT, load, print_diagnostics};
use crate::clients::{Setting, prepare};
use crate::progress::{Bar, interrupted};
use anyhow::{Context, Result};
use fencepost::open;
use fencepost::sweep::{self, Limits, Log, Sweep, Work, document};
use fencepost_explore::{Budget, Termination};
use fencepost_harness::schedule::Schedules;
use fencepost_harness::sweep::{Counterexample, Summary};
use fencepost_harness::verdict::Kind;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::SourceMap;
use fencepost_report::{json, sweep as report};
use rustc_hash::FxHasher;
use serde_json::{Value, json};
use std::hash::Hasher;
use std::time::Instant;

/// Schedules that a dry run shows.
const SHOWN: usize = 8;

pub(crate) fn run(args: &SweepArgs) -> Result<u8> {
    let begun = Instant::now();
    let session = load(&args.file, &args.preprocessor, args.reference.as_deref());
    let Some(session) = session else { return Ok(BAD_INPUT) };
    print_diagnostics(&session.warnings, &session.harness.program.sources);
    let (mut harness, reference) = session.into_harnesses();
    let hash = args.preprocessor.hash.is_some();
    let setting = Setting { model: &args.model, reuse: args.reuse, hash };
    let sweep = match prepare(&mut harness, reference, &args.clients, setting) {
        Ok(sweep) => sweep,
        Err(problems) => {
            print_diagnostics(&problems, &harness.program.sources);
            return Ok(BAD_INPUT);
        }
    };
    if args.dry_run {
        return dry_run(&sweep, args);
    }
    let cancelled = interrupted()?;
    let limits = Limits {
        cancelled,
        deadline: args.timeout.map(|timeout| begun + timeout),
        memory: args.memory,
        states: None,
        jobs: args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        keep_going: args.keep_going,
    };
    let mut work = Work { shard: args.shard, ..Work::default() };
    let mut log = match open_log(&sweep, args, &mut work) {
        Ok(log) => log,
        Err(problem) => {
            print_diagnostics(&[problem], &SourceMap::default());
            return Ok(BAD_INPUT);
        }
    };
    let summary = {
        let mut bar = Bar::start(!args.json);
        let mut done = |record: &_| match &mut log {
            Some(log) => log.write(record).map_err(|error| std::io::Error::other(error.to_string())),
            None => Ok(()),
        };
        sweep::run(&sweep, &work, &limits, &mut done, &mut |progress| bar.update(progress))
            .context("cannot write the log")?
    };
    // What is shown to people may take as long again as it took to find.
    let explained = summary.violations.first().map(|first| {
        let schedule = Schedules::new(sweep.scope.clone()).get(first.number);
        let schedule = schedule.ok_or_else(|| "there is no such schedule".to_owned())?;
        let client = sweep.client(&schedule).map_err(|reason| reason.to_string())?;
        let budget = Budget { cancelled: limits.cancelled.clone(), memory: args.memory, ..Budget::default() };
        sweep.counterexample(first.number, &client, &budget).map_err(|reason| reason.to_string())
    });
    print(&sweep, args, &summary, explained.as_ref(), begun.elapsed().as_secs_f64())?;
    Ok(match (summary.verdict, &explained) {
        // A violation that the referee does not accept is none.
        (Kind::Violated, Some(Err(_))) => 3,
        (Kind::Violated, _) => 1,
        (Kind::Inconclusive, _) => 3,
        (Kind::Holds, _) => 0,
    })
}

/// How each schedule is explored, as far as it can miss something or finds more than usual.
fn manner(sweep: &Sweep) -> Vec<String> {
    let options = &sweep.options;
    let mut parts = Vec::new();
    if let Some(bound) = options.preemptions {
        parts.push(format!("at most {bound} preemptions"));
    }
    let notes = [
        (options.termination == Termination::Ignore, "endless executions not looked for"),
        (options.leaks, "leaks looked for"),
        (options.reuse, "freed memory used again"),
    ];
    parts.extend(notes.iter().filter(|(wanted, _)| *wanted).map(|(_, what)| (*what).to_owned()));
    parts
}

fn dry_run(sweep: &Sweep, args: &SweepArgs) -> Result<u8> {
    let schedules = Schedules::new(sweep.scope.clone());
    let total = schedules.total();
    let (index, count) = args.shard.unwrap_or((0, 1));
    let share = total.saturating_sub(index).div_ceil(count);
    let mut first = Vec::new();
    for (number, schedule) in schedules.shard(index, count).take(SHOWN) {
        let client = sweep.client(&schedule).map_err(|reason| anyhow::anyhow!("{reason}"))?;
        first.push((number, client.show(&sweep.harness)));
    }
    if args.json {
        let first: Vec<Value> = first
            .iter()
            .map(|(number, notation)| json!({ "schedule": number, "notation": notation }))
            .collect();
        let result = json!({ "schedules": share, "schedules_of_scope": total, "first": first });
        println!("{}", serde_json::to_string_pretty(&json::document(vec![result]))?);
        return Ok(0);
    }
    anstream::println!("{} schedules", report::number(share));
    anstream::println!("  {}", report::scope(&sweep.scope, &manner(sweep)));
    for (number, notation) in &first {
        anstream::println!("{number:>7}  {notation}");
    }
    if share > first.len() as u64 {
        anstream::println!("      …");
    }
    Ok(0)
}

/// What a log is of: whatever decides verdicts and numbers. The program counts by its text, so that a log does
/// not outlive a change of the file.
fn head(sweep: &Sweep, args: &SweepArgs) -> Value {
    let mut hasher = FxHasher::default();
    hasher.write(sweep.harness.program.to_string().as_bytes());
    if let Some(reference) = &sweep.reference {
        hasher.write(reference.program().to_string().as_bytes());
    }
    let scope = &sweep.scope;
    let range = |range: &std::ops::RangeInclusive<usize>| json!([range.start(), range.end()]);
    json!({
        "sweep": args.file.display().to_string(),
        "program": format!("{:016x}", hasher.finish()),
        "oracle": sweep.oracle(),
        "protocol": sweep.protocol.name(),
        "operations": sweep.harness.ops.iter().map(|op| op.name.clone()).collect::<Vec<_>>(),
        "property": sweep.property.name(),
        "model": sweep.model,
        "threads": range(&scope.threads),
        "steps": range(&scope.steps),
        "preadds": range(&scope.pre_adds),
        "values": scope.values,
        "generic_values": scope.generic_values,
        "distinct_priorities": scope.distinct_priorities,
        "adds_dominate": scope.adds_dominate,
        "thread_symmetry": scope.thread_symmetry,
        "preemptions": sweep.options.preemptions,
        "leaks": sweep.options.leaks,
        "reuse": sweep.options.reuse,
        "endless": format!("{:?}", sweep.options.termination).to_lowercase(),
        "schedules": scope.count(),
    })
}

/// The log to write, if one is wanted, and what is known from an earlier one.
fn open_log(sweep: &Sweep, args: &SweepArgs, work: &mut Work) -> Result<Option<Log>, Diagnostic> {
    let head = head(sweep, args);
    let cannot = |path: &std::path::Path, error: sweep::LogError| {
        Diagnostic::general(format!("cannot use the log `{}`: {error}", path.display()))
    };
    let mut whole = 0;
    if let Some(path) = &args.resume {
        (work.known, whole) = Log::read(path, &head).map_err(|error| cannot(path, error))?;
        let (index, count) = args.shard.unwrap_or((0, 1));
        work.known.retain(|number, _| number % count == index);
    }
    match (&args.out, &args.resume) {
        (Some(path), _) => {
            Log::create(path, &head, &work.known).map(Some).map_err(|error| cannot(path, error))
        }
        (None, Some(path)) => Log::resume(path, &head, whole).map(Some).map_err(|error| cannot(path, error)),
        (None, None) => Ok(None),
    }
}

fn print(
    sweep: &Sweep,
    args: &SweepArgs,
    summary: &Summary,
    explained: Option<&Result<Counterexample, String>>,
    seconds: f64,
) -> Result<()> {
    if args.json {
        let trace = match explained {
            Some(Ok(found)) => json::client_counterexample(&sweep.harness, found),
            _ => Value::Null,
        };
        let mut result = head(sweep, args);
        let more = json!({
            "file": args.file.display().to_string(),
            "verdict": summary.verdict.to_string(),
            "reason": summary.reason,
            "not_explored": open::swept(&sweep.harness, sweep.options.reuse),
            "schedules_of_share": summary.total,
            "explored": summary.tally.schedules,
            "undecided": summary.undecided,
            "states": summary.tally.states,
            "transitions": summary.tally.transitions,
            "complete": summary.tally.complete,
            "stuck": summary.tally.stuck,
            "violations": summary.violations.iter().map(document).collect::<Vec<_>>(),
            "trace": trace,
            "explore_seconds": summary.seconds,
            "total_seconds": seconds,
            "peak_memory_bytes": fencepost_bounded::solver::peak_memory(),
        });
        if let (Value::Object(result), Value::Object(more)) = (&mut result, more) {
            result.extend(more);
        }
        println!("{}", serde_json::to_string_pretty(&json::document(vec![result]))?);
        return Ok(());
    }
    let (kind, property) = (sweep.oracle(), sweep.property.name());
    let file = args.file.display();
    anstream::println!("{file}: {kind}, {}, {property} on {}", sweep.protocol.name(), sweep.model);
    anstream::println!("  {}", report::scope(&sweep.scope, &manner(sweep)));
    anstream::println!("{}", report::verdict(summary, seconds));
    if summary.verdict == Kind::Holds {
        for open in open::swept(&sweep.harness, sweep.options.reuse) {
            anstream::println!("  not explored: {open}");
        }
    }
    match explained {
        Some(Ok(found)) if !args.quiet => {
            let text = report::counterexample(&sweep.harness, sweep.property, &sweep.model, found);
            anstream::print!("{text}");
        }
        Some(Err(why)) => {
            let first = summary.violations.first().map_or("", |record| &record.notation);
            anstream::println!("  {first}: the counterexample cannot be shown: {why}");
        }
        _ => {}
    }
    Ok(())
}
