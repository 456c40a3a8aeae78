//! The command `litmus`.

use crate::args::LitmusArgs;
use crate::commands::check::{BAD_INPUT, UNDECIDED, load_model, name_one, print_diagnostics};
use crate::output::{errln, out, outln};
use crate::progress::interrupted;
use anyhow::Result;
use fencepost_harness::budget::Allowance;
use fencepost_litmus::batch::{self, Answer, Models, Outcome};
use fencepost_litmus::{Litmus, show};
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::source::SourceMap;
use fencepost_models::Model;
use std::collections::BTreeMap;
use std::sync::Mutex;

pub(crate) fn run(args: &LitmusArgs) -> Result<u8> {
    let Some(models) = models(args) else { return Ok(BAD_INPUT) };
    let mut code = 0;
    let mut files = Vec::new();
    for path in &args.files {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => files.push((name, text)),
            Err(error) => {
                let problem = Diagnostic::general(format!("cannot read `{name}`: {error}"));
                print_diagnostics(&[problem], &SourceMap::default());
                code = BAD_INPUT;
            }
        }
    }
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let allowance = Allowance { cancelled: interrupted()?, time: args.timeout, memory: None };
    let alone = files.len() == 1 && !matches!(&models, Models::Named(models) if models.len() > 1);
    let width = files.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    batch::run(&files, &models, jobs, &allowance, &mut |outcome| {
        code = worse(code, told(&outcome, args, alone, width));
    })?;
    Ok(code)
}

/// A file that cannot be read counts more than a test that is not decided.
fn worse(a: u8, b: u8) -> u8 {
    if [a, b].contains(&BAD_INPUT) { BAD_INPUT } else { a.max(b) }
}

/// Prints what a test comes to, and returns the exit code that it would have alone.
fn told(outcome: &Outcome, args: &LitmusArgs, alone: bool, width: usize) -> u8 {
    let (file, seconds) = (&outcome.file, outcome.time.as_secs_f64());
    if args.json {
        outln!("{}", show::json(outcome));
    }
    match &outcome.answer {
        Answer::Unread(unread) => {
            print_diagnostics(&unread.diagnostics, &unread.sources);
            BAD_INPUT
        }
        Answer::Ran { found: Err(_), .. } if args.json => UNDECIDED,
        Answer::Ran { found: Ok(_), .. } if args.json => 0,
        Answer::Ran { litmus, model, found: Err(reason) } => {
            outln!(
                "{file:width$}  {:24} {model:8} {:12} {seconds:8.4} s  {reason}",
                litmus.name,
                "inconclusive"
            );
            UNDECIDED
        }
        Answer::Ran { litmus, found: Ok(found), .. } if alone => {
            out!("{}", show::herd(litmus, found));
            0
        }
        Answer::Ran { litmus, model, found: Ok(found) } => {
            let verdict = found.verdict().word();
            outln!("{file:width$}  {:24} {model:8} {verdict:12} {seconds:8.4} s", litmus.name);
            if args.states {
                out!("{}", show::listed(litmus, found));
            }
            0
        }
    }
}

/// The models asked for, or none after what is wrong was said.
fn models(args: &LitmusArgs) -> Option<Models> {
    if args.model.is_empty() {
        let known = Mutex::new(BTreeMap::new());
        let model = move |litmus: &Litmus| match known.lock() {
            Ok(mut known) => {
                let key = (litmus.arch.name(), litmus.single);
                known.entry(key).or_insert_with(|| of_architecture(litmus)).clone()
            }
            Err(_) => of_architecture(litmus),
        };
        return Some(Models::OfArchitecture(Box::new(model)));
    }
    let named = |name: &String| match fencepost_models::builtin(name) {
        Some(model) => Ok(model),
        None if name.ends_with(".cat") => load_model(name, None),
        None => Err(name_one(Diagnostic::general(format!("unknown memory model `{name}`")))),
    };
    let found: Result<Vec<Model>, Diagnostic> = args.model.iter().map(named).collect();
    found.map_err(|problem| print_diagnostics(&[problem], &SourceMap::default())).ok().map(Models::Named)
}

/// The model of an architecture. Where none ships, sequential consistency, after a word about it.
fn of_architecture(litmus: &Litmus) -> Model {
    fencepost_models::of_architecture(litmus.arch.name(), litmus.single).unwrap_or_else(|| {
        let (sc, arch) = (fencepost_models::sc(), litmus.arch.name());
        errln!("warning: no model of the architecture {arch}; name one with --model; these verdicts are those of {}", sc.name);
        sc
    })
}
