//! The command `verify`.

use crate::args::VerifyArgs;
use crate::commands::check::{BAD_INPUT, find_model, load, print_diagnostics};
use crate::output::Results;
use crate::progress::{Line, interrupted};
use anyhow::Result;
use fencepost_driver::session::Session;
use fencepost_driver::verify::{self, Verified};
use fencepost_explore::Buffering;
use fencepost_explore::abstraction::{Abstraction, Approach, Proof};
use fencepost_harness::budget::Allowance;
use fencepost_harness::question::Question;
use fencepost_harness::result::CheckResult;
use fencepost_harness::verdict::Kind;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::program::ProcId;
use fencepost_models::Model;
use fencepost_report::Outcome;
use fencepost_report::check::{Check, Search};

pub(crate) fn run(args: &VerifyArgs) -> Result<u8> {
    let Some(session) = load(&args.file, &args.preprocessor, None) else { return Ok(BAD_INPUT) };
    let sources = &session.harness.program.sources;
    print_diagnostics(&session.warnings, sources);
    let (main, models, approach) = match plan(&session, args) {
        Ok(plan) => plan,
        Err(problems) => {
            print_diagnostics(&problems, sources);
            return Ok(BAD_INPUT);
        }
    };
    let allowance = Allowance { cancelled: interrupted()?, time: args.timeout, memory: args.memory };
    let mut results: Vec<CheckResult> = Vec::new();
    let (mut told, mut shown) = (Results::new(args.json), false);
    for model in &models {
        let Verified { result, searches } = {
            let line = Line::start(format!("{} on {}", args.file.display(), model.name), !args.json);
            verify::verify(&session, main, model, &allowance.begin(), approach, &|phase| line.update(phase))
        };
        let first = result.verdict.kind() == Kind::Violated && !std::mem::replace(&mut shown, true);
        let searches = Some(searches.iter().map(search).collect());
        let report = Check { searches, ..Check::new(&session.harness, None, &result) };
        told.tell(Outcome::Check(report.into()), args.verbose > 0 || first && !args.quiet);
        results.push(result);
    }
    told.end();
    let wrong = wrong_expectations(&session, &results);
    print_diagnostics(&wrong, sources);
    let any = |kind: Kind| results.iter().any(|result| result.verdict.kind() == kind);
    Ok(match () {
        () if !wrong.is_empty() => BAD_INPUT,
        () if any(Kind::Violated) => 1,
        () if any(Kind::Inconclusive) => 3,
        () => 0,
    })
}

fn search(proof: &Proof) -> Search {
    Search {
        abstraction: proof.abstraction.to_string(),
        states: proof.statistics.states,
        transitions: proof.statistics.transitions,
        violated: proof.violated,
        buffer: proof.bound,
        seconds: proof.statistics.time.as_secs_f64(),
    }
}

type Plan = (ProcId, Vec<Model>, Approach);

/// What to verify, on which models and how.
fn plan(session: &Session, args: &VerifyArgs) -> Result<Plan, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let main = session.questions().into_iter().find_map(|question| match question {
        Question::Main(main) => Some(main),
        Question::Test(_) | Question::Client(_) => None,
    });
    if main.is_none() {
        let message = format!("nothing to verify in {}: it is no closed program", session.file);
        let help = "write a `main` that starts threads and makes assertions; or use `check` or `sweep` for operations";
        problems.push(Diagnostic::general(message).help(help));
    }
    let mut models: Vec<Model> = Vec::new();
    if args.model.is_empty() {
        models = Buffering::ALL.map(Buffering::model).to_vec();
    }
    for name in &args.model {
        match find_model(name, session) {
            Ok(model) if model.buffering.is_none() => {
                let message = format!("`{name}` is no memory model with store buffers");
                problems.push(Diagnostic::general(message).help("verify on sc, tso or pso"));
            }
            Ok(model) if models.iter().any(|known| known.name == model.name) => {}
            Ok(model) => models.push(model),
            Err(problem) => problems.push(problem),
        }
    }
    let approach = approach(&args.abstraction).map_err(|problem| problems.push(problem)).ok();
    match (main, approach) {
        (Some(main), Some(approach)) if problems.is_empty() => Ok((main, models, approach)),
        _ => Err(problems),
    }
}

/// The abstraction of a name.
pub(crate) fn approach(name: &str) -> Result<Approach, Diagnostic> {
    let found = match name {
        "auto" => Some(Approach::Refine),
        name => Abstraction::named(name).map(Approach::Fixed),
    };
    found.ok_or_else(|| {
        let help =
            "write none, set, fd:K or pd:K with the number of stores that stay in order, as in fd:1; or auto";
        Diagnostic::general(format!("unknown abstraction `{name}`")).help(help)
    })
}

/// Expectations of verification that the results contradict.
fn wrong_expectations(session: &Session, results: &[CheckResult]) -> Vec<Diagnostic> {
    let mut wrong = Vec::new();
    for expectation in session.harness.expectations.iter().filter(|e| e.test == verify::NAME) {
        let found = results.iter().find(|result| result.model == expectation.model);
        if let Some(kind) = found.map(|result| result.verdict.kind()).filter(|k| *k != expectation.verdict) {
            let (model, expected) = (&expectation.model, expectation.verdict);
            let message =
                format!("verification on {model} was expected to say `{expected}`, but says `{kind}`");
            wrong.push(Diagnostic::error(expectation.span, message));
        }
    }
    wrong
}
