//! The command `check`.

use crate::args::{CheckArgs, PreprocessorArgs, SourceArgs};
use crate::output::{Results, errln, out, outln};
use crate::progress::{Line, interrupted};
use anyhow::Result;
use fencepost_bounded::OrderEncoding;
use fencepost_bounded::Precision;
use fencepost_driver::check::{self, Decider, Mining, Terms};
use fencepost_driver::session::Session;
use fencepost_explore::{self as explore, Search, Termination};
use fencepost_harness::budget::Allowance;
use fencepost_harness::question::Question;
use fencepost_harness::result::CheckResult;
use fencepost_harness::verdict::Kind;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::SourceMap;
use fencepost_models::cat::Model;
use fencepost_report::check::Check;
use fencepost_report::{Outcome, diagnostics};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code for bad input.
pub(crate) const BAD_INPUT: u8 = 2;

/// Exit code if something was not decided.
pub(crate) const UNDECIDED: u8 = 3;

/// The outcome of a run over several files.
#[derive(Default)]
struct Tally {
    violated: bool,
    inconclusive: bool,
    /// A file could not be used, or an expectation was not met.
    bad: bool,
    /// Not all that was planned was begun.
    cut_short: bool,
}

pub(crate) fn run(args: &CheckArgs) -> Result<u8> {
    let cancelled = interrupted()?;
    let terms = terms(args, cancelled.clone());
    let (mut tally, mut told) = (Tally::default(), Results::new(args.json));
    for file in &args.files {
        if args.files.len() > 1 && !args.json {
            outln!("{}", file.display());
        }
        if cancelled.load(Ordering::Relaxed) {
            tally.cut_short = true;
            break;
        }
        check_file(file, args, &terms, &mut tally, &mut told);
    }
    told.end();
    Ok(match () {
        () if tally.bad => BAD_INPUT,
        () if tally.cut_short => UNDECIDED,
        () if args.expected => 0,
        () if tally.violated => 1,
        () if tally.inconclusive => UNDECIDED,
        () => 0,
    })
}

fn terms(args: &CheckArgs, cancelled: Arc<AtomicBool>) -> Terms {
    Terms {
        allowance: Allowance { cancelled, time: args.timeout, memory: args.memory },
        max_unroll: args.max_unroll,
        reuse: args.reuse,
        order: match args.order.as_str() {
            "eager" => OrderEncoding::Eager,
            "propagating" => OrderEncoding::Propagating,
            _ => OrderEncoding::Lazy,
        },
        precision: if args.no_ranges { Precision::Types } else { Precision::Values },
        mining: if args.sat_mining { Mining::Sat } else { Mining::Enumeration },
        engine: engine(args),
    }
}

fn engine(args: &CheckArgs) -> Decider {
    if args.engine == "bounded" {
        return Decider::Bounded;
    }
    let how = &args.exploring;
    Decider::Explicit(explore::Options {
        search: if how.shortest { Search::Breadth } else { Search::Depth },
        stuck: how.stuck,
        termination: termination(&how.endless),
        leaks: how.leaks,
        preemptions: how.preemptions.and_then(|given| given.0),
        ..explore::Options::default()
    })
}

/// Which endless executions are violations, by its name on the command line.
pub(crate) fn termination(name: &str) -> Termination {
    match name {
        "unfair" => Termination::Unfair,
        "fair" => Termination::Fair,
        "strong" => Termination::Strong,
        _ => Termination::Ignore,
    }
}

/// What is wrong with the choice of an engine.
fn engine_problems(args: &CheckArgs) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let given = args.exploring.given();
    if args.engine == "bounded" && !given.is_empty() {
        let problem = Diagnostic::general(format!("the bounded engine has no {}", given.join(", ")));
        problems.push(problem.help("add --engine explicit"));
    }
    let bound = args.exploring.preemptions.is_some_and(|given| given.0.is_some());
    if bound && matches!(args.exploring.endless.as_str(), "fair" | "strong") {
        let problem = Diagnostic::general("with a bound on preemptions, no endless execution is fair");
        problems.push(problem.help("leave --preemptions or --endless out"));
    }
    problems
}

/// Checks what is asked of one file.
fn check_file(file: &Path, args: &CheckArgs, terms: &Terms, tally: &mut Tally, told: &mut Results) {
    let session = load(file, &args.preprocessor, args.reference.as_deref());
    let Some(mut session) = session else {
        tally.bad = true;
        return;
    };
    print_diagnostics(&session.warnings, &session.harness.program.sources);
    let Some(plan) = plan(&mut session, args) else {
        tally.bad = true;
        return;
    };
    let mut results: Vec<CheckResult> = Vec::new();
    for (subject, model) in &plan {
        if terms.allowance.cancelled.load(Ordering::Relaxed) {
            tally.cut_short = true;
            break;
        }
        let result = {
            let what = format!("{} on {}", subject.name(), model.name);
            let line = Line::start(what, !args.json);
            check::check(&session, subject, model, terms, &|phase| line.update(phase))
        };
        let first = result.verdict.kind() == Kind::Violated && !tally.violated;
        let report = Check::new(&session.harness, subject.test(), &result);
        told.tell(Outcome::Check(report.into()), args.verbose > 0 || first && !args.quiet);
        tally.violated |= result.verdict.kind() == Kind::Violated;
        tally.inconclusive |= result.verdict.kind() == Kind::Inconclusive;
        results.push(result);
    }
    let wrong = wrong_expectations(&session, &results);
    tally.bad |= !wrong.is_empty();
    print_diagnostics(&wrong, &session.harness.program.sources);
}

/// What to check: every subject asked for, on every model; or what is expected of them.
fn plan(session: &mut Session, args: &CheckArgs) -> Option<Vec<(Question, Model)>> {
    let mut problems = engine_problems(args);
    let mut subjects = Vec::new();
    for wanted in &args.test {
        match session.question(wanted) {
            Ok(subject) => subjects.push(subject),
            Err(problem) => problems.push(problem),
        }
    }
    if args.test.is_empty() {
        subjects = session.questions();
        if subjects.is_empty() {
            problems.push(nothing_to_check(session));
        }
    }
    let named = session.harness.models.iter().map(|(name, _)| name.clone());
    let expected = session.harness.expectations.iter().map(|expectation| expectation.model.clone());
    let mut names: Vec<String> = if !args.model.is_empty() {
        args.model.clone()
    } else if args.expected {
        expected.collect()
    } else {
        named.collect()
    };
    if names.is_empty() {
        names = usual(session, &args.engine).iter().map(|&name| name.to_owned()).collect();
    }
    let mut models: Vec<Model> = Vec::new();
    for name in &names {
        match find_mapped(name, args.mapping.as_deref(), session) {
            Ok(model) if args.engine == "explicit" && model.buffering.is_none() => {
                // What the file names may be for the other engine.
                if !args.model.is_empty() {
                    let message = format!("the explicit engine does not know the model `{name}`");
                    let help = "it explores sc, tso and pso; leave --engine out for others";
                    problems.push(Diagnostic::general(message).help(help));
                }
            }
            Ok(model) if models.iter().all(|known| known.name != model.name) => models.push(model),
            Ok(_) => {}
            Err(problem) => problems.push(problem),
        }
    }
    let mut plan = Vec::new();
    for subject in subjects {
        for model in &models {
            let mut expectations = session.harness.expectations.iter();
            let is_expected = expectations.any(|e| e.test == subject.name() && e.model == model.name);
            if is_expected || !args.expected {
                plan.push((subject.clone(), model.clone()));
            }
        }
    }
    if plan.is_empty() && problems.is_empty() {
        let problem = Diagnostic::general(format!("{} expects nothing of what is asked for", session.file));
        problems.push(problem.help("add for example `#pragma fencepost expect T0 sc holds`"));
    }
    print_diagnostics(&problems, &session.harness.program.sources);
    problems.is_empty().then_some(plan)
}

pub(crate) fn nothing_to_check(session: &Session) -> Diagnostic {
    let problem = Diagnostic::general(format!("nothing to check in {}: no test and no `main`", session.file));
    if session.harness.ops.is_empty() {
        return problem.help("declare operations and tests with `#pragma fencepost`; the README shows how");
    }
    problem.help("declare a test, as in `#pragma fencepost test T0 = ( e | d )`, or give one with --test")
}

/// The models on which a file is checked if nobody names one: what its language and the machines say that it is written
/// for.
fn usual(session: &Session, engine: &str) -> &'static [&'static str] {
    let modern = session.harness.program.sources.files().any(|(_, file)| file.name.contains("stdatomic.h"));
    if modern && engine == "bounded" { fencepost_models::MODERN } else { fencepost_models::HARDWARE }
}

/// A shipped model, or one from a file.
pub(crate) fn find_model(name: &str, session: &Session) -> Result<Model, Diagnostic> {
    find_mapped(name, None, session)
}

/// The same, with a certain mapping from C.
fn find_mapped(name: &str, mapping: Option<&str>, session: &Session) -> Result<Model, Diagnostic> {
    if let Some(model) = fencepost_models::builtin(name) {
        // A mapping is for the machines that have several.
        let Some(wanted) = mapping.filter(|_| model.mapping.is_some()) else { return Ok(model) };
        return fencepost_models::mapped(name, Some(wanted)).ok_or_else(|| {
            let known = fencepost_models::mappings(name).join(", ");
            Diagnostic::general(format!("no mapping `{wanted}` from C to {name}"))
                .help(format!("there are: {known}"))
        });
    }
    if name.ends_with(".cat") {
        return load_model(name, mapping);
    }
    let place = session.harness.models.iter().find(|(model, _)| model == name).map(|(_, span)| *span);
    let place = place.or_else(|| {
        let expectation = session.harness.expectations.iter().find(|expectation| expectation.model == name);
        expectation.map(|expectation| expectation.span)
    });
    let message = format!("unknown memory model `{name}`");
    let problem = match place {
        Some(span) => Diagnostic::error(span, message),
        None => Diagnostic::general(message),
    };
    Err(name_one(problem))
}

/// With the names that there are.
pub(crate) fn name_one(problem: Diagnostic) -> Diagnostic {
    let all = [fencepost_models::ALL, fencepost_models::MODERN].concat().join(", ");
    problem.help(format!("the models are: {all}; or name a .cat file"))
}

pub(crate) fn load_model(path: &str, mapping: Option<&str>) -> Result<Model, Diagnostic> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Diagnostic::general(format!("cannot read the model `{path}`: {error}")))?;
    let part = |part: Option<&OsStr>| part.map_or(path.into(), |part| part.to_string_lossy().into_owned());
    let name = part(Path::new(path).file_stem());
    let mut sources = SourceMap::default();
    fencepost_models::load_mapped(&name, path, &text, mapping, &mut sources).map_err(|problems| {
        // Positions point into the model, which only this function knows: print them here.
        print_diagnostics(&problems, &sources);
        Diagnostic::general(format!("the model `{path}` cannot be used"))
    })
}

/// Loads a file, or prints what is wrong with it.
pub(crate) fn load(
    file: &Path,
    preprocessor: &PreprocessorArgs,
    reference: Option<&Path>,
) -> Option<Session> {
    load_with(file, preprocessor, reference, fencepost_c::Options::default())
}

/// As [`load`], with options of the front end.
pub(crate) fn load_with(
    file: &Path,
    preprocessor: &PreprocessorArgs,
    reference: Option<&Path>,
    options: fencepost_c::Options,
) -> Option<Session> {
    for path in std::iter::once(file).chain(reference) {
        let readable = std::fs::File::open(path).and_then(|file| file.metadata());
        let problem = match readable {
            Err(error) => Some(error.to_string()),
            Ok(metadata) if metadata.is_dir() => Some("it is a folder".into()),
            Ok(_) => None,
        };
        if let Some(problem) = problem {
            let problem = Diagnostic::general(format!("cannot read `{}`: {problem}", path.display()));
            print_diagnostics(&[problem], &SourceMap::default());
            return None;
        }
    }
    match Session::load_with(file, &preprocessor.arguments(), reference, options) {
        Ok(session) => Some(session),
        Err(rejected) => {
            print_diagnostics(&rejected.diagnostics, &rejected.sources);
            let count = rejected.diagnostics.len();
            if count > 1 {
                errln!("{count} problems found");
            }
            None
        }
    }
}

pub(crate) fn print_diagnostics(list: &[Diagnostic], sources: &SourceMap) {
    for diagnostic in list {
        errln!("{}\n", diagnostics::render(diagnostic, sources));
    }
}

/// Expectations that the results contradict.
fn wrong_expectations(session: &Session, results: &[CheckResult]) -> Vec<Diagnostic> {
    let mut wrong = Vec::new();
    for expectation in &session.harness.expectations {
        let found = results.iter().find(|r| r.test == expectation.test && r.model == expectation.model);
        if let Some(result) = found
            && result.verdict.kind() != expectation.verdict
        {
            let (test, model) = (&expectation.test, &expectation.model);
            let message = format!(
                "{test} on {model} was expected to be `{}`, but is `{}`",
                expectation.verdict,
                result.verdict.kind()
            );
            wrong.push(Diagnostic::error(expectation.span, message));
        }
    }
    wrong
}

/// The command `lsl`.
pub(crate) fn print_lsl(source: &SourceArgs) -> Result<u8> {
    let Some(session) = load(&source.file, &source.preprocessor, None) else { return Ok(BAD_INPUT) };
    out!("{}", session.harness.program);
    Ok(0)
}
