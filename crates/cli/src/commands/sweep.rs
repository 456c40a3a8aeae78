//! The command `sweep`.

use crate::args::SweepArgs;
use crate::commands::check::{BAD_INPUT, UNDECIDED, find_model, load, print_diagnostics};
use crate::output::Results;
use crate::progress::{Bar, interrupted};
use anyhow::{Context, Result};
use fencepost_driver::clients::{Setting, prepare};
use fencepost_driver::open;
use fencepost_driver::sweep::{self, Contents, Log, LogError, Sweep, Work};
use fencepost_harness::budget::{Allowance, Poll, peak_memory};
use fencepost_harness::schedule::Schedules;
use fencepost_harness::sweep::{Counterexample, Head, Summary};
use fencepost_harness::verdict::Kind;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::SourceMap;
use fencepost_report::{Outcome, sweep as report};
use std::collections::BTreeMap;
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
            print(&sweep, args, None, sweep::uncounted(exhausted), None, begun);
            return Ok(UNDECIDED);
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
    let code = match (summary.verdict, &explained) {
        // A violation that the referee does not accept is none.
        (Kind::Violated, Some(Err(_))) => UNDECIDED,
        (verdict, _) => code(verdict),
    };
    print(&sweep, args, Some(total), summary, explained, begun);
    Ok(code)
}

fn dry_run(sweep: &Sweep, schedules: Schedules, args: &SweepArgs) -> Result<u8> {
    let total = schedules.total();
    let (index, count) = args.shard.unwrap_or((0, 1));
    let share = total.saturating_sub(index).div_ceil(count);
    let mut first = Vec::new();
    for (schedule, calls) in schedules.shard(index, count).take(SHOWN) {
        let client = sweep.client(&calls).map_err(|reason| anyhow::anyhow!("{reason}"))?;
        first.push(report::Numbered { schedule, notation: client.show(&sweep.harness) });
    }
    let plan = report::Plan { schedules: share, schedules_of_scope: total, first, scope: sweep.covers() };
    tell(args, Outcome::Plan(plan));
    Ok(0)
}

/// What is swept. `schedules` is how many there are, if that is known.
fn head(sweep: &Sweep, args: &SweepArgs, schedules: Option<u64>) -> Head {
    let file = args.file.as_deref().map_or(String::new(), |file| file.display().to_string());
    sweep.head(&file, args.shard, schedules)
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
            true => Contents::of(path, &head),
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
            let verdict = summary.verdict;
            tell(args, Outcome::Sweep(report::Sweep::new(head, None, summary).into()));
            return Ok(code(verdict));
        }
    };
    print_diagnostics(&[problem], &SourceMap::default());
    Ok(BAD_INPUT)
}

fn code(verdict: Kind) -> u8 {
    match verdict {
        Kind::Holds => 0,
        Kind::Violated => 1,
        Kind::Inconclusive => UNDECIDED,
    }
}

fn tell(args: &SweepArgs, outcome: Outcome) {
    let mut told = Results::new(args.json);
    told.tell(outcome, !args.quiet);
    told.end();
}

/// Tells what a sweep found that began at some time.
fn print(
    sweep: &Sweep,
    args: &SweepArgs,
    schedules: Option<u64>,
    summary: Summary,
    explained: Option<Result<Counterexample, String>>,
    begun: Instant,
) {
    let head = head(sweep, args, schedules);
    let (trace, unshown) = match explained.transpose() {
        Ok(found) => (found.map(|found| report::Counterexample::new(&sweep.harness, &found)), None),
        Err(why) => (None, Some(why)),
    };
    let run = report::Run {
        file: head.sweep.clone(),
        not_explored: open::swept(&sweep.harness, sweep.options.reuse),
        trace,
        total_seconds: begun.elapsed().as_secs_f64(),
        peak_memory_bytes: peak_memory(),
        unshown,
    };
    tell(args, Outcome::Sweep(report::Sweep::new(head, Some(run), summary).into()));
}
