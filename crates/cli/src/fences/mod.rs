//! Fence inference for a file: search, then proof. The search ([`fencepost_fences::guided`]) is one formula a
//! test with fences switched on and off; what it finds is put into the source text, loaded anew and checked
//! like any other program, and each fence is shown to be needed by a check of the program without it.

mod mirror;

use crate::run::{self, Limits, Progress};
use crate::session::{Session, Subject};
use crate::verify;
use fencepost_bounded::check::Options;
use fencepost_bounded::switched::{Finding, Placement, Switched, fences_only_forbid};
use fencepost_bounded::unroll;
use fencepost_explore as explore;
use fencepost_explore::abstraction::Approach;
use fencepost_fences::cost::Costs;
use fencepost_fences::guided::{self, Effort, Found, Outcome};
use fencepost_fences::patch::{self, Patch};
use fencepost_fences::place::{self, Kind, resolve, slot};
use fencepost_fences::proved::Proved;
use fencepost_harness::inference::{Answer, ChangedFile, Failure, Inference, Placed, PlacedFence, Question};
use fencepost_harness::mine::Mined;
use fencepost_harness::result::{CheckResult, Verdict};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::ProcId;
use fencepost_lsl::source::FileId;
use fencepost_models::cat::Model;
use mirror::Mirror;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// Repetitions of a loop beyond which it counts as one without bound while fences are looked for. Without
/// some fences loops can repeat for ever, and each repetition makes the formula larger.
const MAX_UNROLL: u32 = 6;

/// What to infer.
pub struct Request<'a> {
    /// The file, loaded with slots.
    pub session: &'a Session,
    /// Where it was loaded from.
    pub path: &'a Path,
    /// The preprocessor's arguments it was loaded with.
    pub arguments: &'a [String],
    /// The reference implementation it was loaded with.
    pub reference: Option<&'a Path>,
    /// What must hold, small tests first.
    pub questions: Vec<(Subject, Model)>,
    /// The kinds of fences to use.
    pub kinds: Vec<Kind>,
    /// What they cost.
    pub costs: Costs,
    /// How many placements to find.
    pub limit: usize,
    /// How much it may cost; the time is that of the whole search.
    pub limits: Limits,
}

/// Which questions are about closed programs that verification without bounds can decide. It must be able to
/// on sc, and does not know of memory that is used again; else loops are bounded instead.
fn provable(search: &Search) -> Vec<bool> {
    let able = |(subject, model): &(Subject, Model)| {
        let proc = match subject {
            Subject::Main(proc) if explore::Model::named(&model.name).is_some() && !search.limits.reuse => {
                *proc
            }
            _ => return false,
        };
        let verdict = search.verified(search.request.session, proc, "sc").verdict;
        !matches!(verdict, Verdict::Inconclusive(_))
    };
    search.request.questions.iter().map(able).collect()
}

/// Infers fences.
pub fn infer(request: &Request, progress: &dyn Fn(Progress)) -> Inference {
    let start = Instant::now();
    let Request { session, questions, kinds, .. } = request;
    let question = |(subject, model): &(Subject, Model)| Question {
        name: name(session, subject),
        test: subject.test().cloned(),
        model: model.name.clone(),
    };
    let mut effort = Effort::default();
    let limits = Limits {
        max_unroll: Some(request.limits.max_unroll.unwrap_or(MAX_UNROLL)),
        ..request.limits.clone()
    };
    let mut search = Search { request, limits, start, progress, proved: Vec::new() };
    search.proved = provable(&search);
    let answer = search
        .answer(&mut effort)
        .unwrap_or_else(|(question, reason)| Answer::Inconclusive { question, reason });
    Inference {
        file: session.file.clone(),
        questions: questions.iter().map(question).collect(),
        kinds: kinds.iter().map(|kind| kind.name).collect(),
        places: place::count(&session.harness.program),
        answer,
        tried: effort.tried,
        corrections: effort.corrections,
        loop_limit: (effort.unbounded > 0).then_some(search.limits.max_unroll.unwrap_or(MAX_UNROLL)),
        time: start.elapsed(),
    }
}

/// Why there is no answer, and which question it is about.
type Stuck = (Option<usize>, Reason);

struct Search<'a> {
    request: &'a Request<'a>,
    limits: Limits,
    start: Instant,
    progress: &'a dyn Fn(Progress),
    /// For each question, whether it is decided by verification without bounds.
    proved: Vec<bool>,
}

impl Search<'_> {
    fn answer(&mut self, effort: &mut Effort) -> Result<Answer, Stuck> {
        if let Some(failure) = self.wrong_on_sc()? {
            return Ok(Answer::WrongOnSc(failure));
        }
        match self.find(effort)? {
            Outcome::Placements { found, complete } => {
                let cheapest = self.request.questions.iter().all(|(_, model)| fences_only_forbid(model));
                let mut placements = Vec::new();
                for (number, found) in found.iter().enumerate() {
                    placements.push(self.prove(found, number == 0)?);
                }
                Ok(Answer::Placements { placements, complete, cheapest })
            }
            Outcome::Hopeless { question, finding: Finding::Violated } => {
                let kinds = self.request.kinds.len();
                let slots = 0..self.request.session.harness.program.slots.len() as u32;
                let all = slots.flat_map(|slot| {
                    (0..kinds).map(move |fence| unroll::Switch {
                        slot: fencepost_lsl::program::SlotId(slot),
                        fence,
                    })
                });
                let result = self.check_with(&all.collect(), question);
                match result.verdict {
                    Verdict::Violated(_) => Ok(Answer::WrongWithAll(Failure { question, result })),
                    _ => Err((Some(question), disagreement("with all fences"))),
                }
            }
            Outcome::Hopeless { question, finding } => {
                let span = match finding {
                    Finding::Unbounded(span) => Some(span),
                    _ => None,
                };
                let sources = &self.request.session.harness.program.sources;
                let at = span.map_or(String::new(), |span| sources.position(span).to_string());
                let limit = self.limits.max_unroll.unwrap_or(MAX_UNROLL);
                Err((Some(question), Reason::Unroll { at, recursion: false, limit }))
            }
        }
    }

    /// The limits of a check that starts now.
    fn limits(&self) -> Limits {
        let timeout = self.limits.timeout.map(|timeout| timeout.saturating_sub(self.start.elapsed()));
        Limits { timeout, ..self.limits.clone() }
    }

    /// What fails on sc, if something does.
    fn wrong_on_sc(&self) -> Result<Option<Failure>, Stuck> {
        // A test of the library loads every shipped model.
        let sc = fencepost_models::builtin("sc").expect("the model `sc` ships");
        let mut asked: Vec<String> = Vec::new();
        for (question, (subject, _)) in self.request.questions.iter().enumerate() {
            let name = name(self.request.session, subject);
            if asked.contains(&name) {
                continue;
            }
            asked.push(name);
            let result = self.ask(self.request.session, question, subject, &sc);
            match &result.verdict {
                Verdict::Holds => {}
                Verdict::Violated(_) => return Ok(Some(Failure { question, result })),
                Verdict::Inconclusive(reason) => return Err((Some(question), reason.clone())),
            }
        }
        Ok(None)
    }

    /// Searches for placements.
    fn find(&self, effort: &mut Effort) -> Result<Outcome, Stuck> {
        let Request { session, questions, kinds, costs, limit, .. } = self.request;
        let options = Options {
            unroll: unroll::Options {
                fences: kinds.iter().map(|kind| kind.fence).collect(),
                ..self.limits().options().unroll
            },
            ..self.limits().options()
        };
        let stop = || options.budget.exhausted().is_some();
        let mut mined: Vec<Option<Rc<Mined>>> = Vec::new();
        for (subject, _) in questions {
            (self.progress)(Progress::Mining);
            mined.push(subject.test().map(|test| session.specification(test, &stop)));
        }
        let quiet = |_, _| {};
        let machines: Vec<explore::Options> =
            questions.iter().map(|(_, model)| self.exploring(&model.name)).collect();
        let mut checks: Vec<Box<dyn guided::Question + '_>> = Vec::new();
        for (index, ((subject, model), mined)) in questions.iter().zip(&mined).enumerate() {
            let specification = match mined.as_deref() {
                None => None,
                Some(Mined::Specification { observations, .. }) => Some(observations),
                Some(Mined::Fault(_)) => return Err((Some(index), disagreement("on sc"))),
                Some(Mined::Impossible(why)) => {
                    return Err((Some(index), Reason::Specification(why.clone())));
                }
            };
            let subject = match subject {
                Subject::Test(test) => unroll::Subject::Test(test),
                Subject::Main(proc) if self.proved[index] => {
                    checks.push(Box::new(Proved::new(&session.harness, *proc, &machines[index], kinds)));
                    continue;
                }
                Subject::Main(proc) => unroll::Subject::Main(*proc),
            };
            let switched = Switched::new(&session.harness, subject, model, specification, &options, &quiet);
            checks.push(Box::new(switched));
        }
        let slots = session.harness.program.slots.iter();
        let costs: Vec<Vec<u64>> =
            slots.map(|slot| kinds.iter().map(|kind| costs.of(*kind, slot)).collect()).collect();
        let progress = |now: guided::Progress| {
            let guided::Progress { tried, corrections, fences, .. } = now;
            (self.progress)(Progress::Inferring { tried, corrections, fences });
        };
        let search = guided::Options { costs: &costs, limit: *limit, stop: &stop, progress: &progress };
        guided::infer(&mut checks, &search, effort).map_err(|(question, reason)| {
            match options.budget.exhausted() {
                Some(exhausted) => (Some(question), exhausted.into()),
                None => (Some(question), reason),
            }
        })
    }

    /// Puts a placement into the source text and checks that; for the first one, also what each fence is for.
    fn prove(&self, found: &Found, first: bool) -> Result<Placed, Stuck> {
        let Request { session, kinds, costs, .. } = self.request;
        let program = &session.harness.program;
        let patches = patch::patches(program, kinds, &found.placement);
        let checks = self.recheck(&patches)?;
        let mut fences = Vec::new();
        for switch in &found.placement {
            let slot = slot(program, *switch);
            let kind = kinds[switch.fence];
            let without = match first {
                true => {
                    let mut others = found.placement.clone();
                    others.remove(switch);
                    self.failure_with(&others)?
                }
                false => None,
            };
            fences.push(PlacedFence {
                kind: kind.name,
                statement: kind.statement(false),
                at: program.sources.position(slot.at),
                line: program.sources.line(slot.at).to_owned(),
                function: slot.function.clone(),
                loop_depth: slot.loop_depth,
                cost: costs.of(kind, slot),
                without,
            });
        }
        fences.sort_by(|a, b| a.at.cmp(&b.at));
        let changed = |patch: Patch| {
            let file = program.sources.file(patch.file);
            let diff = patch::unified(&file.name, &file.text, &patch.text);
            ChangedFile { name: file.name.clone(), text: patch.text, diff }
        };
        let files = patches.into_iter().map(changed).collect();
        Ok(Placed { fences, cost: found.cost, files, checks })
    }

    /// Checks the program made of patched files.
    fn recheck(&self, patches: &[Patch]) -> Result<Vec<CheckResult>, Stuck> {
        let Request { session, path, arguments, reference, questions, .. } = self.request;
        let texts: Vec<(FileId, String)> = patches.iter().map(|p| (p.file, p.text.clone())).collect();
        let mirror = Mirror::new(&session.harness.program.sources, path, &texts).map_err(|error| {
            (
                None,
                Reason::Unsupported(format!("the files cannot be copied to be checked with fences: {error}")),
            )
        })?;
        let loaded = Session::load(&mirror.main(), &mirror.arguments(arguments), *reference);
        let mut patched = loaded.map_err(|rejected| {
            let first = rejected.diagnostics.first().map_or("", |first| &first.message);
            (
                None,
                Reason::Unsupported(format!("the text with fences put in is no longer understood: {first}")),
            )
        })?;
        let mut results = Vec::new();
        for (index, (subject, model)) in questions.iter().enumerate() {
            let subject = match subject {
                Subject::Main(_) => patched.subject("main"),
                Subject::Test(test) => patched.subject(&test.show(&session.harness)),
            };
            let subject = subject.map_err(|problem| (Some(index), Reason::Internal(problem.message)))?;
            let result = self.ask(&patched, index, &subject, model);
            match &result.verdict {
                Verdict::Holds => results.push(result),
                Verdict::Inconclusive(reason) => return Err((Some(index), reason.clone())),
                Verdict::Violated(_) => {
                    return Err((Some(index), disagreement("with the fences put into the text")));
                }
            }
        }
        Ok(results)
    }

    /// A check that fails with a placement; one that is violated, if there is one.
    fn failure_with(&self, placement: &Placement) -> Result<Option<Failure>, Stuck> {
        let mut unsure = None;
        for question in 0..self.request.questions.len() {
            let result = self.check_with(placement, question);
            match &result.verdict {
                Verdict::Holds => {}
                Verdict::Violated(_) => return Ok(Some(Failure { question, result })),
                Verdict::Inconclusive(Reason::Unroll { .. }) => {
                    unsure.get_or_insert(Failure { question, result });
                }
                Verdict::Inconclusive(reason) => return Err((Some(question), reason.clone())),
            }
        }
        // Where fences can also allow executions, what was found need not be minimal.
        if unsure.is_none() && self.request.questions.iter().all(|(_, model)| fences_only_forbid(model)) {
            return Err((None, disagreement("without one of the fences")));
        }
        Ok(unsure)
    }

    /// An ordinary check of the program with some fences.
    fn check_with(&self, placement: &Placement, question: usize) -> CheckResult {
        let Request { session, questions, kinds, .. } = self.request;
        let (subject, model) = &questions[question];
        let session = session.with_program(resolve(&session.harness.program, kinds, placement));
        self.ask(&session, question, subject, model)
    }

    /// Decides a question about a program, in the way that is chosen for it.
    fn ask(&self, session: &Session, question: usize, subject: &Subject, model: &Model) -> CheckResult {
        match subject {
            Subject::Main(proc) if self.proved[question] => self.verified(session, *proc, &model.name),
            _ => run::check(session, subject, model, &self.limits(), self.progress),
        }
    }

    fn verified(&self, session: &Session, main: ProcId, model: &str) -> CheckResult {
        let report = |statistics: &explore::Statistics| (self.progress)(Progress::States(statistics.states));
        verify::verify(session, main, model, &self.exploring(model), Approach::Refine, &report).result
    }

    /// How a machine is explored.
    fn exploring(&self, model: &str) -> explore::Options {
        let limits = self.limits();
        let budget = explore::Budget {
            cancelled: limits.cancelled.clone(),
            deadline: limits.timeout.map(|timeout| Instant::now() + timeout),
            memory: limits.memory,
            states: None,
        };
        explore::Options {
            model: explore::Model::named(model).unwrap_or_default(),
            budget,
            ..explore::Options::default()
        }
    }
}

/// The name of a test of the file; another test is called by what it is.
fn name(session: &Session, subject: &Subject) -> String {
    match subject.test() {
        Some(test) if !session.harness.tests.contains(test) => test.show(&session.harness),
        _ => subject.name().to_owned(),
    }
}

fn disagreement(when: &str) -> Reason {
    Reason::Internal(format!("the search and an ordinary check disagree {when}"))
}
