//! The command `fences`.

use crate::args::FencesArgs;
use crate::commands::check::{BAD_INPUT, find_model, load_with, nothing_to_check, print_diagnostics};
use crate::commands::verify::approach;
use crate::output::{Results, outln};
use crate::progress::{Line, interrupted};
use anyhow::{Context, Result};
use fencepost_driver::check::Terms;
use fencepost_driver::fences::{Asked, Request, Sweeps, infer};
use fencepost_driver::session::Session;
use fencepost_explore::Buffering;
use fencepost_explore::abstraction::Approach;
use fencepost_fences::constraints::TYPED;
use fencepost_fences::cost::Costs;
use fencepost_fences::place::{defaults, includes, keep_within};
use fencepost_harness::budget::Allowance;
use fencepost_harness::inference::{Answer, Inference, Method};
use fencepost_harness::question::Question;
use fencepost_harness::verdict;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::source::{Origin, SourceFile};
use fencepost_models::cat::Model;
use fencepost_report::Outcome;
use fencepost_report::fences::Fences;

pub(crate) fn run(args: &FencesArgs) -> Result<u8> {
    let cancelled = interrupted()?;
    let slots = fencepost_c::Options { slots: true };
    let Some(mut session) = load_with(&args.file, &args.preprocessor, args.reference.as_deref(), slots)
    else {
        return Ok(BAD_INPUT);
    };
    print_diagnostics(&session.warnings, &session.harness.program.sources);
    let mut problems = not_text(&session);
    let models = models(&session, args, &mut problems);
    let questions = questions(&mut session, args, &models, &mut problems);
    let method = Method::ALL.into_iter().find(|method| method.name() == args.method).unwrap_or_default();
    let kinds = kinds(&session, args, method, &mut problems);
    let approach = approach(&args.abstraction).unwrap_or_else(|problem| {
        problems.push(problem);
        Approach::Refine
    });
    unsuitable(method, approach, &questions, args, &mut problems);
    let costs = costs(args, &mut problems);
    if !args.within.is_empty() {
        for name in keep_within(&mut session.harness.program, &args.within) {
            let problem = Diagnostic::general(format!("there is no place for a fence in `{name}`"));
            problems.push(problem.help("name a function that a test calls, or a file it is written in"));
        }
    }
    if !problems.is_empty() {
        print_diagnostics(&problems, &session.harness.program.sources);
        return Ok(BAD_INPUT);
    }
    let arguments = args.preprocessor.arguments();
    let allowance = Allowance { cancelled, time: args.timeout, memory: args.memory };
    let sweeps = args.sweep.then(|| Sweeps {
        clients: args.clients.clients(),
        hash: args.preprocessor.hash.is_some(),
        budget: allowance.begin(),
        jobs: args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
    });
    let request = Request {
        session: &session,
        path: &args.file,
        arguments: &arguments,
        reference: args.reference.as_deref(),
        questions,
        sweeps,
        method,
        approach,
        orders: args.fence_kinds.is_empty() || args.fence_kinds.iter().any(|kind| kind == "orders"),
        kinds,
        costs,
        limit: args.all.unwrap_or(1).max(1),
        terms: Terms { allowance, max_unroll: args.max_unroll, reuse: args.reuse, ..Terms::default() },
    };
    let problems = request.sweep_problems(&Buffering::Tso.model());
    if !problems.is_empty() {
        print_diagnostics(&problems, &session.harness.program.sources);
        return Ok(BAD_INPUT);
    }
    let inference = {
        let line = Line::start(format!("fences for {}", session.file), !args.json);
        infer(&request, &|phase| line.update(phase))
    };
    let mut told = Results::new(args.json);
    told.tell(Outcome::Fences(Fences::new(&session.harness, &inference).into()), args.explain);
    told.end();
    if args.apply {
        apply(&inference, args)?;
    }
    Ok(match &inference.answer {
        Answer::Placements { .. } => 0,
        Answer::WrongOnSc(_) | Answer::WrongWithAll(_) => 1,
        Answer::Inconclusive { .. } => 3,
    })
}

/// Files that cannot be patched: with bytes that are no UTF-8, in comments, they are not what was quoted.
fn not_text(session: &Session) -> Vec<Diagnostic> {
    let files = session.harness.program.sources.files().map(|(_, file)| file);
    let written = files.filter(|file| file.origin == Origin::User && !file.name.starts_with('<'));
    let differs =
        |file: &&SourceFile| std::fs::read(&file.name).is_ok_and(|bytes| bytes != file.text.as_bytes());
    let problem = |file: &SourceFile| {
        Diagnostic::general(format!("`{}` has bytes that are no UTF-8, and cannot be patched", file.name))
            .help("save the file as UTF-8")
    };
    written.filter(differs).map(problem).collect()
}

/// Writes the files of the first placement.
fn apply(inference: &Inference, args: &FencesArgs) -> Result<()> {
    let Answer::Placements { placements, .. } = &inference.answer else { return Ok(()) };
    for file in placements.first().into_iter().flat_map(|placement| &placement.files) {
        std::fs::write(&file.name, &file.text).with_context(|| format!("cannot write `{}`", file.name))?;
        if !args.json {
            outln!("wrote {}", file.name);
        }
    }
    Ok(())
}

/// The models that fences must serve: those asked for, or those that the file names. On sc no fence is
/// needed or of use.
fn models(session: &Session, args: &FencesArgs, problems: &mut Vec<Diagnostic>) -> Vec<Model> {
    let named = session.harness.models.iter().map(|(name, _)| name);
    let expected = session.harness.expectations.iter().map(|expectation| &expectation.model);
    let names: Vec<&String> = match args.model.is_empty() {
        false => args.model.iter().collect(),
        true if session.harness.models.is_empty() => expected.collect(),
        true => named.collect(),
    };
    let mut models: Vec<Model> = Vec::new();
    for name in names {
        match find_model(name, session) {
            Ok(model) if args.model.is_empty() && model.keeps_all_in_order() => {}
            Ok(model) if models.iter().any(|known| known.name == model.name) => {}
            Ok(model) => models.push(model),
            Err(problem) => problems.push(problem),
        }
    }
    if models.is_empty() && problems.is_empty() {
        let problem = Diagnostic::general(format!("nothing says which memory model {} is for", session.file));
        problems
            .push(problem.help("give one, as in --model rmo, or name it with `#pragma fencepost model rmo`"));
    }
    models
}

/// What must hold, small tests first.
fn questions(
    session: &mut Session,
    args: &FencesArgs,
    models: &[Model],
    problems: &mut Vec<Diagnostic>,
) -> Vec<(Asked, Model)> {
    let mut subjects = Vec::new();
    for wanted in &args.test {
        match session.question(wanted) {
            Ok(question) => subjects.push(question),
            Err(problem) => problems.push(problem),
        }
    }
    if args.test.is_empty() && !args.sweep {
        subjects = session.questions();
        if subjects.is_empty() {
            problems.push(nothing_to_check(session));
        }
    }
    let mut questions = Vec::new();
    for model in models {
        let of_model = session.harness.expectations.iter().filter(|e| e.model == model.name);
        let expected: Vec<_> = of_model.filter(|e| e.verdict != verdict::Kind::Inconclusive).collect();
        for question in &subjects {
            let wanted = !args.test.is_empty() || expected.is_empty();
            let names = match question {
                Question::Main(_) => [question.name(), fencepost_driver::verify::NAME],
                Question::Test(_) | Question::Client(_) => [question.name(); 2],
            };
            if wanted || expected.iter().any(|e| names.contains(&e.test.as_str())) {
                questions.push((Asked::Question(question.clone()), model.clone()));
            }
        }
        if args.sweep {
            questions.push((Asked::Sweep, model.clone()));
        }
    }
    if questions.is_empty() && problems.is_empty() {
        let problem = Diagnostic::general(format!("{} expects nothing of these models", session.file));
        problems.push(problem.help("name what must hold, as in --test T0"));
    }
    questions.sort_by_key(|(asked, _)| match asked {
        Asked::Question(question) => {
            question.test().map_or((0, 0), |test| (test.invocations().count(), test.threads.len()))
        }
        Asked::Sweep => (usize::MAX, 0),
    });
    questions
}

/// What the method, or a sweep, cannot do.
fn unsuitable(
    method: Method,
    approach: Approach,
    questions: &[(Asked, Model)],
    args: &FencesArgs,
    problems: &mut Vec<Diagnostic>,
) {
    let mut problem = |message: String, help: &str| problems.push(Diagnostic::general(message).help(help));
    let closed = |asked: &Asked| matches!(asked, Asked::Question(Question::Main(_)));
    let mut models: Vec<&Model> = questions.iter().map(|(_, model)| model).collect();
    models.dedup_by_key(|model| &model.name);
    let store_buffers =
        models.iter().all(|model| model.buffering.is_some_and(|buffering| buffering != Buffering::Sc));
    let clients = args.clients.given();
    if !args.sweep && !clients.is_empty() {
        problem(format!("without a sweep there is no {}", clients.join(", ")), "add --sweep");
    }
    match method {
        Method::StoreBuffers if questions.len() != 1 || !closed(&questions[0].0) || !store_buffers => {
            problem(
                "store buffers are for one closed program, on tso or on pso".into(),
                "give a file with `main` and one model; or use --method search",
            )
        }
        Method::Rlx if models.len() != 1 || !(store_buffers || models[0].out_of_order) || args.sweep => {
            problem(
                "execution buffers are for tests or a closed program on one model: tso, pso or rmo".into(),
                "name one of them, and no sweep; or use --method search",
            )
        }
        _ if args.sweep && !store_buffers => problem(
            "a sweep is on tso or pso".into(),
            "give tests for other models, as in --test '( e | d )'",
        ),
        _ => {}
    }
    match approach {
        Approach::Refine => {}
        Approach::Fixed(_) if !questions.iter().any(|(asked, _)| closed(asked)) => {
            problem("abstractions of store buffers are for closed programs".into(), "leave --abstraction out")
        }
        Approach::Fixed(_) => {}
    }
}

/// The kinds of fences to use.
fn kinds(
    session: &Session,
    args: &FencesArgs,
    method: Method,
    problems: &mut Vec<Diagnostic>,
) -> Vec<FenceKind> {
    let mut kinds: Vec<FenceKind> = Vec::new();
    for name in &args.fence_kinds {
        let named: Vec<FenceKind> = match name.as_str() {
            "typed" => FenceKind::ALL.into_iter().filter(|kind| !kind.is_c11()).collect(),
            "c11" | "orders" => FenceKind::ALL.into_iter().filter(|kind| kind.is_c11()).collect(),
            name => FenceKind::named(name).into_iter().collect(),
        };
        if named.is_empty() {
            let names = FenceKind::ALL.map(FenceKind::name).join(", ");
            let problem = Diagnostic::general(format!("unknown kind of fence `{name}`"));
            problems.push(
                problem.help(format!("the kinds are: {names}; typed, c11 and orders for groups of them")),
            );
        }
        kinds.extend(named.into_iter().filter(|kind| !kinds.contains(kind)).collect::<Vec<_>>());
    }
    if args.fence_kinds.is_empty() {
        kinds = defaults(&session.harness.program);
        match method {
            Method::Search => {}
            Method::StoreBuffers => kinds.retain(|kind| matches!(kind, FenceKind::Full | FenceKind::SeqCst)),
            Method::Rlx => kinds = FenceKind::ALL.into_iter().filter(|kind| TYPED.contains(kind)).collect(),
        }
    }
    let full = kinds == [FenceKind::Full];
    match method {
        Method::StoreBuffers if !full && kinds != [FenceKind::SeqCst] => {
            let problem = Diagnostic::general("fences from store buffers are full ones");
            problems.push(problem.help("use --fence-kinds full, or --method search"));
        }
        Method::Rlx if !full => {
            kinds.retain(|kind| *kind != FenceKind::Full);
            if kinds.len() != 4 || !kinds.iter().all(|kind| TYPED.contains(kind)) {
                let problem = Diagnostic::general("fences from execution buffers are typed or full");
                problems.push(problem.help("use --fence-kinds typed or full, or --method search"));
            }
        }
        _ => {}
    }
    let c11 = kinds.iter().any(|kind| kind.is_c11());
    if c11 && !includes(&session.harness.program, "stdatomic.h") {
        let problem = Diagnostic::general(format!("{} does not include <stdatomic.h>", session.file));
        problems.push(problem.help("include it, or use --fence-kinds typed"));
    }
    kinds
}

fn costs(args: &FencesArgs, problems: &mut Vec<Diagnostic>) -> Costs {
    let Some(path) = &args.costs else { return Costs::default() };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("cannot read the costs `{}`: {error}", path.display());
            problems.push(Diagnostic::general(message));
            return Costs::default();
        }
    };
    Costs::parse(&text).unwrap_or_else(|error| {
        problems.push(Diagnostic::general(format!("{}: {error}", path.display())));
        Costs::default()
    })
}
