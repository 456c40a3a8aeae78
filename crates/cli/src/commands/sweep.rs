//! The command `sweep`.

use crate::args::SweepArgs;
use crate::commands::check::{BAD_INPUT, find_model, load, print_diagnostics};
use crate::output::{out, outln};
use crate::progress::{Bar, interrupted};
use anyhow::{Context, Result};
use fencepost_driver::clients::{Setting, prepare};
use fencepost_driver::open;
use fencepost_driver::sweep::{
    self, Contents, Log, LogError, Sweep, VERSION, Work, document, same, show_shard,
};
use fencepost_explore::{Buffering, Termination};
use fencepost_harness::budget::{Allowance, Poll, peak_memory};
use fencepost_harness::consistency::{Property, Waiting};
use fencepost_harness::schedule::Schedules;
use fencepost_harness::sweep::{Counterexample, Summary};
use fencepost_harness::verdict::Kind;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::SourceMap;
use fencepost_report::{json, sweep as report};
use rustc_hash::FxHasher;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::Path;
use std::time::Instant;

/// Schedules that a dry run shows.
const SHOWN: usize = 8;

pub(crate) fn run(args: &SweepArgs) -> Result<u8> {
    let begun = Instant::now();
    let Some(file) = &args.file else { return merge(args) };
    let session = load(file, &args.preprocessor, args.reference.as_deref());
    let Some(session) = session else { return Ok(BAD_INPUT) };
    print_diagnostics(&session.warnings, &session.harness.program.sources);
    let model = match find_model(&args.model, &session) {
        Ok(model) => model,
        Err(problem) => {
            print_diagnostics(&[problem], &session.harness.program.sources);
            return Ok(BAD_INPUT);
        }
    };
    let (mut harness, reference) = session.into_harnesses();
    let hash = args.preprocessor.hash.is_some();
    let allowance = Allowance { cancelled: interrupted()?, time: args.timeout, memory: args.memory };
    let budget = &allowance.begin();
    let setting = Setting { model: &model, reuse: args.reuse, hash, budget };
    let sweep = match prepare(&mut harness, reference, &args.clients.clients(), setting) {
        Ok(sweep) => sweep,
        Err(problems) => {
            print_diagnostics(&problems, &harness.program.sources);
            return Ok(BAD_INPUT);
        }
    };
    let schedules = match Schedules::until(sweep.scope.clone(), &Poll::new(budget)) {
        Ok(schedules) => schedules,
        Err(exhausted) => {
            let summary = sweep::uncounted(exhausted);
            print(&sweep, args, None, &summary, None, begun.elapsed().as_secs_f64())?;
            return Ok(code(summary.verdict));
        }
    };
    let total = schedules.total();
    if args.dry_run {
        return dry_run(&sweep, schedules, args);
    }
    let mut work = Work {
        shard: args.shard,
        known: BTreeMap::new(),
        jobs: args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        keep_going: args.keep_going,
    };
    let mut log = match open_log(&sweep, &schedules, args, &mut work) {
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
        sweep::run(&sweep, &work, budget, &mut done, &mut |progress| bar.update(progress))
            .context("cannot write the log")?
    };
    // What is shown to people may take as long again as it took to find, within the same limits.
    let explained = summary.violations.first().map(|first| {
        let schedule = schedules.clone().get(first.number);
        let schedule = schedule.ok_or_else(|| "there is no such schedule".to_owned())?;
        let client = sweep.client(&schedule).map_err(|reason| reason.to_string())?;
        sweep.counterexample(first.number, &client, budget).map_err(|reason| reason.to_string())
    });
    print(&sweep, args, Some(total), &summary, explained.as_ref(), begun.elapsed().as_secs_f64())?;
    Ok(match (summary.verdict, &explained) {
        // A violation that the referee does not accept is none.
        (Kind::Violated, Some(Err(_))) => 3,
        (verdict, _) => code(verdict),
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
    // When a call returns is a question only where stores can be late, and only to who looks at the time.
    if sweep.fenced {
        parts.push("a fence after each call".into());
    } else if sweep.options.buffering != Buffering::Sc && sweep.property != Property::Sequential {
        parts.push("calls return when their code is done, even before their stores reach memory".into());
    }
    if sweep.waiting == Waiting::Each {
        parts.push("stuck threads justified one by one".into());
    }
    if !sweep.not_called.is_empty() {
        parts.push(format!("not called: {}", sweep.not_called.join(", ")));
    }
    parts.extend(notes.iter().filter(|(wanted, _)| *wanted).map(|(_, what)| (*what).to_owned()));
    parts
}

fn dry_run(sweep: &Sweep, schedules: Schedules, args: &SweepArgs) -> Result<u8> {
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
        outln!("{}", serde_json::to_string_pretty(&json::document(vec![result]))?);
        return Ok(0);
    }
    outln!("{}", report::numbered(share, "schedule"));
    outln!("  {}", report::scope(&sweep.scope, &manner(sweep)));
    for (number, notation) in &first {
        outln!("{number:>7}  {notation}");
    }
    if share > first.len() as u64 {
        outln!("      …");
    }
    Ok(0)
}

/// What a log is of: whatever decides verdicts and numbers. The program counts by its text, so that a log does
/// not outlive a change of the file. `schedules` is how many there are, if that is known.
fn head(sweep: &Sweep, args: &SweepArgs, schedules: Option<u64>) -> Value {
    let file = args.file.as_deref().map_or(String::new(), |file| file.display().to_string());
    let mut hasher = FxHasher::default();
    hasher.write(sweep.harness.program.to_string().as_bytes());
    if let Some(reference) = &sweep.reference {
        hasher.write(reference.program().to_string().as_bytes());
    }
    let scope = &sweep.scope;
    let range = |range: &std::ops::RangeInclusive<usize>| json!([range.start(), range.end()]);
    json!({
        "log": VERSION,
        "fencepost": env!("CARGO_PKG_VERSION"),
        "sweep": file,
        "scope": report::scope(scope, &manner(sweep)),
        "shard": show_shard(args.shard),
        "program": format!("{:016x}", hasher.finish()),
        "oracle": sweep.oracle(),
        "protocol": sweep.protocol.name(),
        "operations": sweep.harness.ops.iter().map(|op| op.name.clone()).collect::<Vec<_>>(),
        "not_called": sweep.not_called,
        "property": sweep.property(),
        "stuck_threads": sweep.waiting.name(),
        "model": sweep.model.name,
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
        "schedules": schedules,
    })
}

/// The log to write, if one is wanted, and what is known from an earlier one.
fn open_log(
    sweep: &Sweep,
    schedules: &Schedules,
    args: &SweepArgs,
    work: &mut Work,
) -> Result<Option<Log>, Diagnostic> {
    let head = head(sweep, args, Some(schedules.total()));
    let cannot = |path: &Path, error: LogError| unusable(path, &error);
    let same_file = match (&args.out, &args.resume) {
        (Some(out), Some(resume)) => out.canonicalize().ok() == resume.canonicalize().ok(),
        _ => false,
    };
    let mut log = None;
    if let Some(path) = &args.resume {
        let contents = match args.out.is_some() && !same_file {
            // Another log will be written; this one stays as it is.
            true => Contents::read(path).and_then(|contents| same(&contents.head, &head).map(|()| contents)),
            false => Log::resume(path, &head).map(|(opened, contents)| {
                log = Some(opened);
                contents
            }),
        };
        work.known = contents.map_err(|error| cannot(path, error))?.records;
        fits(sweep, schedules.clone(), work).map_err(|number| {
            Diagnostic::general(format!(
                "cannot use the log `{}`: what it says of schedule {number} is not said of that schedule",
                path.display()
            ))
        })?;
    }
    if let (Some(path), false) = (&args.out, same_file) {
        log = Some(Log::create(path, &head, &work.known, args.force).map_err(|error| cannot(path, error))?);
    }
    Ok(log)
}

/// Whether the records of a log are of the schedules that have their numbers; if not, of which not.
fn fits(sweep: &Sweep, mut schedules: Schedules, work: &Work) -> Result<(), u64> {
    for (&number, record) in &work.known {
        let client = schedules.get(number).and_then(|schedule| sweep.client(&schedule).ok());
        if client.is_none_or(|client| client.show(&sweep.harness) != record.notation) {
            return Err(number);
        }
    }
    Ok(())
}

fn unusable(path: &Path, error: &LogError) -> Diagnostic {
    let problem = Diagnostic::general(format!("cannot use the log `{}`: {error}", path.display()));
    match error {
        LogError::Exists => {
            problem.help("go on with it by --resume, give --out another name, or overwrite it with --force")
        }
        LogError::Other(what, ..) if what == "shard" => {
            problem.help("logs of different shares are put together by `fencepost sweep --merge`")
        }
        LogError::Wrong(..) => problem.help("do not use it: explore these schedules again"),
        _ => problem,
    }
}

/// The verdict of a whole sweep from logs of its shares.
fn merge(args: &SweepArgs) -> Result<u8> {
    let given = args.clients.given();
    let problem = match sweep::merge(&args.merge) {
        _ if !given.is_empty() => {
            let problem = Diagnostic::general(format!("--merge does not go with {}", given.join(", ")));
            problem.help("what was swept stands in the logs")
        }
        Err((path, error)) => unusable(&path, &error),
        Ok((head, summary)) => {
            print_merged(&head, args, &summary)?;
            return Ok(code(summary.verdict));
        }
    };
    print_diagnostics(&[problem], &SourceMap::default());
    Ok(BAD_INPUT)
}

fn print_merged(head: &Value, args: &SweepArgs, summary: &Summary) -> Result<()> {
    if args.json {
        return print_json(head.clone(), &figures(summary));
    }
    let text = |name: &str| head[name].as_str().unwrap_or_default().to_owned();
    let (file, kind, protocol) = (text("sweep"), text("oracle"), text("protocol"));
    outln!("{file}: {kind}, {protocol}, {} on {}", text("property"), text("model"));
    outln!("  {}", text("scope"));
    outln!("{}", report::verdict(summary, summary.seconds));
    if let Some(first) = summary.violations.first() {
        outln!(
            "  schedule {}: {}: {}",
            first.number,
            first.notation,
            first.reason.as_deref().unwrap_or("wrong")
        );
        outln!("  the sweep that wrote the log shows how; --resume with its log finds it again at once");
    }
    Ok(())
}

fn code(verdict: Kind) -> u8 {
    match verdict {
        Kind::Holds => 0,
        Kind::Violated => 1,
        Kind::Inconclusive => 3,
    }
}

/// What a sweep found, as members of a document.
fn figures(summary: &Summary) -> Value {
    json!({
        "verdict": summary.verdict.to_string(),
        "reason": summary.reason,
        "schedules_of_share": summary.total,
        "explored": summary.tally.schedules,
        "undecided": summary.undecided,
        "states": summary.tally.states,
        "transitions": summary.tally.transitions,
        "complete": summary.tally.complete,
        "stuck": summary.tally.stuck,
        "notes": report::notes(summary),
        "violations": summary.violations.iter().map(document).collect::<Vec<_>>(),
        "explore_seconds": summary.seconds,
    })
}

fn print_json(mut result: Value, more: &Value) -> Result<()> {
    if let (Value::Object(result), Value::Object(more)) = (&mut result, more) {
        result.extend(more.clone());
    }
    outln!("{}", serde_json::to_string_pretty(&json::document(vec![result]))?);
    Ok(())
}

fn print(
    sweep: &Sweep,
    args: &SweepArgs,
    schedules: Option<u64>,
    summary: &Summary,
    explained: Option<&Result<Counterexample, String>>,
    seconds: f64,
) -> Result<()> {
    if args.json {
        let trace = match explained {
            Some(Ok(found)) => json::client_counterexample(&sweep.harness, found),
            _ => Value::Null,
        };
        let mut result = head(sweep, args, schedules);
        let more = json!({
            "file": result["sweep"],
            "not_explored": open::swept(&sweep.harness, sweep.options.reuse),
            "trace": trace,
            "total_seconds": seconds,
            "peak_memory_bytes": peak_memory(),
        });
        if let (Value::Object(result), Value::Object(more)) = (&mut result, more) {
            result.extend(more);
        }
        return print_json(result, &figures(summary));
    }
    let (kind, property) = (sweep.oracle(), sweep.property());
    let file = args.file.as_deref().map_or(String::new(), |file| file.display().to_string());
    outln!("{file}: {kind}, {}, {property} on {}", sweep.protocol.name(), sweep.model.name);
    outln!("  {}", report::scope(&sweep.scope, &manner(sweep)));
    outln!("{}", report::verdict(summary, seconds));
    if summary.verdict == Kind::Holds {
        for open in open::swept(&sweep.harness, sweep.options.reuse) {
            outln!("  not explored: {open}");
        }
    }
    match explained {
        Some(Ok(found)) if !args.quiet => {
            let text = report::counterexample(&sweep.harness, sweep.property, &sweep.model.name, found);
            out!("{text}");
        }
        Some(Err(why)) => {
            let first = summary.violations.first().map_or("", |record| &record.notation);
            outln!("  {first}: the counterexample cannot be shown: {why}");
        }
        _ => {}
    }
    Ok(())
}
