//! The command `sweep`.

use crate::args::SweepArgs;
use crate::check::{BAD_INPUT, load, print_diagnostics, termination};
use crate::progress::Bar;
use anyhow::{Context, Result};
use fencepost::sweep::{self, Limits, Log, Sweep, Work, document};
use fencepost_explore::{Budget, Model, Options, Reductions, Termination};
use fencepost_harness::consistency::Property;
use fencepost_harness::operation::Harness;
use fencepost_harness::oracle::binding::{Binding, bind};
use fencepost_harness::oracle::declaration::{self, Declaration};
use fencepost_harness::oracle::reference::Reference;
use fencepost_harness::oracle::{Kind as Collection, Protocol};
use fencepost_harness::schedule::{Configuration, Schedules, Scope};
use fencepost_harness::sweep::{Counterexample, Summary};
use fencepost_harness::verdict::Kind;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::{Origin, SourceMap};
use fencepost_report::{json, sweep as report};
use rustc_hash::FxHasher;
use serde_json::{Value, json};
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Schedules that a dry run shows.
const SHOWN: usize = 8;

/// The preemption bound of configuration E.
const BOUND_OF_E: u32 = 2;

pub(crate) fn run(args: &SweepArgs) -> Result<u8> {
    let begun = Instant::now();
    let session = load(&args.file, &args.preprocessor, args.reference.as_deref());
    let Some(session) = session else { return Ok(BAD_INPUT) };
    print_diagnostics(&session.warnings, &session.harness.program.sources);
    let (mut harness, reference) = session.into_harnesses();
    let sweep = match prepare(&mut harness, reference, args) {
        Ok(sweep) => sweep,
        Err(problems) => {
            print_diagnostics(&problems, &harness.program.sources);
            return Ok(BAD_INPUT);
        }
    };
    if args.dry_run {
        return dry_run(&sweep, args);
    }
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = cancelled.clone();
    // A second interrupt ends the program at once.
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
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

fn prepare(
    harness: &mut Harness,
    reference: Option<Harness>,
    args: &SweepArgs,
) -> Result<Sweep, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let property = Property::named(&args.property);
    if property.is_none() {
        let problem = Diagnostic::general(format!("unknown property `{}`", args.property));
        problems.push(problem.help("the properties are: sc, linear, quiescent"));
    }
    let model = Model::named(&args.model);
    if args.reuse && !matches!(model, None | Some(Model::Sc)) {
        let problem = Diagnostic::general("memory is used again only on sc");
        problems.push(problem.help("leave --reuse out, or sweep on sc"));
    }
    if model.is_none() {
        let problem = Diagnostic::general(format!("`{}` is no machine with store buffers", args.model));
        problems.push(problem.help("a sweep is on sc, tso or pso"));
    }
    let declared = declared(harness, args).map_err(|problem| problems.push(problem)).ok();
    let (Some(property), Some(model), Some(oracle), true) = (property, model, declared, problems.is_empty())
    else {
        return Err(problems);
    };
    let (binding, protocol) = match &oracle {
        Some(oracle) => {
            oracle.select(harness)?;
            (bind(harness, oracle.kind, oracle.protocol, None)?, oracle.protocol)
        }
        None => (Binding::plain(harness), Protocol::NonBlocking),
    };
    let reference = reference.map(|reference| Reference::new(harness, reference)).transpose()?;
    let (mut scope, configuration) = scope(oracle.as_ref(), args).map_err(|problem| vec![problem])?;
    scope.roles = binding.roles();
    let problems = scope.problems(protocol);
    if !problems.is_empty() {
        return Err(problems);
    }
    let bound = (configuration == Some(Configuration::E)).then_some(BOUND_OF_E);
    let preemptions = args.preemptions.map_or(bound, |given| given.0);
    let termination = match termination(&args.endless) {
        // Within a bound, a thread that others do not let go on looks like one that cannot.
        Termination::Fair if preemptions.is_some() => Termination::Ignore,
        wanted => wanted,
    };
    let off = |name: &str| args.without.iter().any(|without| without == name);
    let on = |name: &str| args.with.iter().any(|with| with == name);
    let reductions = Reductions {
        private: !off("private"),
        footprint: !off("footprint"),
        sole: !off("sole"),
        collect: !off("collect"),
        remember: !off("remember"),
        rename: on("rename"),
        symmetry: on("symmetry"),
    };
    Ok(Sweep {
        harness: harness.clone(),
        binding,
        reference,
        protocol,
        property,
        scope,
        options: Options {
            model,
            termination,
            preemptions,
            leaks: args.leaks,
            reuse: args.reuse,
            reductions,
            ..Options::default()
        },
        model: args.model.clone(),
    })
}

/// The oracle that the command line or the file names; none if there is only a reference.
fn declared(harness: &mut Harness, args: &SweepArgs) -> Result<Option<Declaration>, Diagnostic> {
    let Some(oracle) = &args.oracle else {
        return match harness.oracle.clone() {
            None if args.reference.is_none() => {
                let problem = Diagnostic::general("nothing says what the operations should do");
                Err(problem.help(
                    "add `#pragma fencepost oracle queue` to the file, or give --oracle queue, or a --reference",
                ))
            }
            declared => Ok(declared),
        };
    };
    let text = match &args.operations {
        Some(operations) => format!("{oracle} for {operations}"),
        None => oracle.clone(),
    };
    let file = harness.program.sources.add("<command line>", &text, Origin::User);
    let mut found = declaration::parse(&text, file, 0)?;
    if let (None, Some(in_file)) = (&args.operations, &harness.oracle) {
        found.operations = in_file.operations.clone();
    }
    Ok(Some(found))
}

/// The scope that the command line describes, and the configuration it starts from.
fn scope(
    oracle: Option<&Declaration>,
    args: &SweepArgs,
) -> Result<(Scope, Option<Configuration>), Diagnostic> {
    let configuration = match args.configuration.as_deref() {
        None => None,
        Some("A" | "a") => Some(Configuration::A),
        Some("B" | "b") => Some(Configuration::B),
        Some("D" | "d") => Some(Configuration::D),
        Some("E" | "e") => Some(Configuration::E),
        Some("C" | "c") if args.preprocessor.hash.is_some() => Some(Configuration::C),
        Some("C" | "c") => {
            return Err(Diagnostic::general("configuration C is B with hash functions that are chosen")
                .help("give --hash nd:3:2 with it, for files that use `fp_hash`"));
        }
        Some(other) => {
            return Err(Diagnostic::general(format!("unknown configuration `{other}`"))
                .help("the configurations are: A, B, C, D, E"));
        }
    };
    let (kind, protocol) =
        oracle.map_or((Collection::Set, Protocol::NonBlocking), |oracle| (oracle.kind, oracle.protocol));
    let mut scope = Scope::of(configuration.unwrap_or(Configuration::B), kind, protocol);
    if oracle.is_none() {
        // Nothing is known to add anything.
        scope.pre_adds = 0..=0;
    }
    if configuration.is_none() {
        scope.values = 2;
        scope.generic_values = false;
        scope.distinct_priorities = false;
        scope.adds_dominate = false;
        scope.thread_symmetry = false;
    }
    scope.threads = args.threads.clone().unwrap_or(scope.threads);
    scope.steps = args.steps.clone().unwrap_or(scope.steps);
    scope.pre_adds = args.preadds.clone().unwrap_or(scope.pre_adds);
    scope.values = args.values.unwrap_or(scope.values);
    scope.generic_values |= args.generic_values;
    scope.distinct_priorities |= args.distinct_priorities;
    scope.adds_dominate |= args.adds_dominate;
    scope.thread_symmetry |= args.thread_symmetry;
    Ok((scope, configuration))
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
