//! Fence inference for a file: find, then prove. A method finds placements (`find`); what it finds is put into the
//! source text, loaded anew and checked like any other program, and each fence is shown to be needed by a check
//! of the program without it (`prove`).

mod find;
mod mirror;
mod prove;
mod swept;

use crate::check::{self, Stage, Terms};
use crate::clients::{self, Clients, Setting};
use crate::session::Session;
use crate::sweep::Sweep;
use crate::verify;
use fencepost_bounded::switched::{Tried, fences_only_forbid};
use fencepost_explore as explore;
use fencepost_explore::abstraction::{Abstraction, Approach};
use fencepost_fences::asking;
use fencepost_fences::cost::Costs;
use fencepost_fences::guided::{Effort, Searched};
use fencepost_fences::place::{self, resolve};
use fencepost_harness::budget::{Allowance, Budget, Poll};
use fencepost_harness::inference::{Answer, Demand, Failure, Inference, Method, Placed, Without};
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::result::{CheckResult, Property, Scope, Statistics, Verdict};
use fencepost_harness::schedule::{Schedules, numbered};
use fencepost_harness::test::Test;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::diagnostic::Diagnostic;
use fencepost_lsl::fence::FenceKind;
use fencepost_lsl::program::{Placement, ProcId};
use fencepost_models::cat::Model;
use std::path::Path;
use std::time::Instant;

/// Repetitions of a loop beyond which it counts as one without bound while fences are looked for. Without
/// some fences loops can repeat for ever, and each repetition makes the formula larger.
const MAX_UNROLL: u32 = 6;
/// The longest head of abstract buffers that is tried.
const LONGEST_HEAD: usize = 4;

/// What must hold.
#[derive(Clone)]
pub enum Asked {
    /// A test, or the closed program.
    Question(Question),
    /// All schedules of a sweep.
    Sweep,
}

/// The sweeps that are asked for.
pub struct Sweeps {
    /// Their clients.
    pub clients: Clients,
    /// Whether hash functions are chosen.
    pub hash: bool,
    /// What a reference may cost.
    pub budget: Budget,
    /// Threads that explore schedules.
    pub jobs: usize,
}

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
    pub questions: Vec<(Asked, Model)>,
    /// What to sweep, if that is asked for.
    pub sweeps: Option<Sweeps>,
    /// How to find placements.
    pub method: Method,
    /// How closed programs are verified on the way.
    pub approach: Approach,
    /// The kinds of fences to use.
    pub kinds: Vec<FenceKind>,
    /// Whether accesses get stronger orders instead of C11 fences where that is enough.
    pub orders: bool,
    /// What they cost.
    pub costs: Costs,
    /// How many placements to find.
    pub limit: usize,
    /// How much it may cost; the time is that of the whole search.
    pub terms: Terms,
}

impl Request<'_> {
    /// The sweep of the file, or of one that is like it but for fences, on the model of this name.
    pub(crate) fn sweep(&self, mut harness: Harness, model: &Model) -> Result<Sweep, Reason> {
        self.prepare(&mut harness, model).map_err(|problems| {
            Reason::Internal(problems.first().map_or(String::new(), |problem| problem.message.clone()))
        })
    }

    /// What is wrong with the sweep that is asked for.
    pub fn sweep_problems(&self, model: &Model) -> Vec<Diagnostic> {
        if self.sweeps.is_none() {
            return Vec::new();
        }
        self.prepare(&mut self.session.harness.clone(), model).err().unwrap_or_default()
    }

    fn prepare(&self, harness: &mut Harness, model: &Model) -> Result<Sweep, Vec<Diagnostic>> {
        let Some(Sweeps { clients, hash, budget, .. }) = &self.sweeps else {
            return Err(vec![Diagnostic::general("no sweep was asked for")]);
        };
        let setting = Setting { model, reuse: self.terms.reuse, hash: *hash, budget };
        clients::prepare(harness, self.session.reference().cloned(), clients, setting)
    }
}

/// Infers fences.
pub fn infer(request: &Request, progress: &dyn Fn(Stage)) -> Inference {
    let start = Instant::now();
    let mut effort = Effort::default();
    let terms =
        Terms { max_unroll: Some(request.terms.max_unroll.unwrap_or(MAX_UNROLL)), ..request.terms.clone() };
    let mut search = Search { request, terms, start, progress, proved: Vec::new() };
    search.proved = search.provable();
    let answer = search
        .answer(&mut effort)
        .unwrap_or_else(|(question, reason)| Answer::Inconclusive { question, reason });
    let question =
        |(asked, model): &(Asked, Model)| Demand { name: search.name(asked), model: model.name.clone() };
    Inference {
        file: request.session.file.clone(),
        method: request.method,
        exact: search.is_exact(),
        questions: request.questions.iter().map(question).collect(),
        kinds: request.kinds.iter().map(|kind| kind.name()).collect(),
        places: place::count(&request.session.harness.program),
        answer,
        tried: effort.tried,
        corrections: effort.corrections,
        loop_limit: (effort.unbounded > 0).then_some(search.terms.max_unroll.unwrap_or(MAX_UNROLL)),
        time: start.elapsed(),
    }
}

/// Why there is no answer, and which question it is about.
type Stuck = (Option<usize>, Reason);

struct Search<'a> {
    request: &'a Request<'a>,
    terms: Terms,
    start: Instant,
    progress: &'a dyn Fn(Stage),
    /// For each question, whether it is decided by verification without bounds.
    proved: Vec<bool>,
}

impl Search<'_> {
    fn answer(&self, effort: &mut Effort) -> Result<Answer, Stuck> {
        if let Some(failure) = self.wrong_on_sc()? {
            return Ok(Answer::WrongOnSc(failure));
        }
        if self.request.method != Method::StoreBuffers {
            return self.proven(self.find(self.request.approach, effort)?);
        }
        // Longer heads until no fence is asked for that is not needed.
        let approaches = match self.request.approach {
            Approach::Refine => {
                (0..=LONGEST_HEAD).map(|head| Approach::Fixed(Abstraction::FullyDisjunctive(head))).collect()
            }
            fixed => vec![fixed],
        };
        let mut best = None;
        for approach in approaches {
            let answer = self.find(approach, effort).and_then(|searched| self.proven(searched));
            match answer {
                Ok(Answer::Placements { placements, complete, cheapest }) => {
                    let spare = placements.first().is_some_and(has_spare);
                    best = Some(Ok(Answer::Placements { placements, complete, cheapest }));
                    if !spare {
                        break;
                    }
                }
                // A finer abstraction may have an answer, and may take longer than there is time.
                other => {
                    best.get_or_insert(other);
                }
            }
        }
        best.unwrap_or_else(|| Err((None, Reason::Internal("no abstraction was tried".into()))))
    }

    /// Proves what was found.
    fn proven(&self, searched: Searched) -> Result<Answer, Stuck> {
        match searched {
            Searched::Placements { found, complete } => {
                let mut placements = Vec::new();
                for (number, found) in found.iter().enumerate() {
                    placements.push(self.prove(found, number == 0)?);
                }
                let cheapest = self.is_exact() && self.only_forbid();
                Ok(Answer::Placements { placements, complete, cheapest })
            }
            Searched::Hopeless { question, tried: Tried::Violated } => {
                let slots = self.request.session.harness.program.slots.len();
                let failure = self.check_with(&asking::all(slots, &self.request.kinds), question);
                match failure.result.verdict {
                    Verdict::Violated(_) => Ok(Answer::WrongWithAll(failure)),
                    _ if self.is_exact() => Err((Some(question), disagreement("with all fences"))),
                    _ => {
                        let what = "it finds no placement, and there may be some: try --method search";
                        Err((Some(question), Reason::Method(what.into())))
                    }
                }
            }
            Searched::Hopeless { question, tried } => {
                let span = match tried {
                    Tried::Unbounded(span) => Some(span),
                    _ => None,
                };
                let sources = &self.request.session.harness.program.sources;
                let at = span.map_or(String::new(), |span| sources.position(span).to_string());
                let limit = self.terms.max_unroll.unwrap_or(MAX_UNROLL);
                Err((Some(question), Reason::Unroll { at, recursion: false, limit }))
            }
        }
    }

    /// Whether the method asks for what is needed, and no more.
    fn is_exact(&self) -> bool {
        self.request.method == Method::Search && self.request.approach == Approach::Refine
    }

    /// Whether fences forbid executions, and never allow any.
    fn only_forbid(&self) -> bool {
        self.request.questions.iter().all(|(_, model)| fences_only_forbid(model))
    }

    /// Which questions are about closed programs that verification without bounds can decide. It must be able
    /// to on sc, and does not know of memory that is used again; else loops are bounded instead.
    fn provable(&self) -> Vec<bool> {
        let able = |(asked, model): &(Asked, Model)| {
            let proc = match asked {
                Asked::Question(Question::Main(proc)) if model.buffering.is_some() && !self.terms.reuse => {
                    *proc
                }
                _ => return false,
            };
            let verdict = self
                .verified(self.request.session, proc, &fencepost_models::sc())
                .map(|result| result.verdict);
            verdict.is_ok_and(|verdict| !matches!(verdict, Verdict::Inconclusive(_)))
        };
        self.request.questions.iter().map(able).collect()
    }

    /// The terms of a check that starts now.
    fn terms(&self) -> Terms {
        let allowance = &self.terms.allowance;
        let time = allowance.time.map(|time| time.saturating_sub(self.start.elapsed()));
        Terms { allowance: Allowance { time, ..allowance.clone() }, ..self.terms.clone() }
    }

    /// What fails on sc, if something does.
    fn wrong_on_sc(&self) -> Result<Option<Failure>, Stuck> {
        let sc = fencepost_models::sc();
        let mut known: Vec<String> = Vec::new();
        for (question, (asked, _)) in self.request.questions.iter().enumerate() {
            let name = self.name(asked);
            if known.contains(&name) {
                continue;
            }
            known.push(name);
            let failure = self.ask(self.request.session, question, asked, &sc);
            match &failure.result.verdict {
                Verdict::Holds => {}
                Verdict::Violated(_) => return Ok(Some(failure)),
                Verdict::Inconclusive(reason) => return Err((Some(question), reason.clone())),
            }
        }
        Ok(None)
    }

    /// An ordinary check of the program with some fences.
    fn check_with(&self, placement: &Placement, question: usize) -> Failure {
        let Request { session, questions, .. } = self.request;
        let (asked, model) = &questions[question];
        let session = session.with_program(resolve(&session.harness.program, placement));
        self.ask(&session, question, asked, model)
    }

    /// Decides a question about a program, in the way that is chosen for it.
    fn ask(&self, session: &Session, question: usize, asked: &Asked, model: &Model) -> Failure {
        let (test, result): (Option<Test>, CheckResult) = match asked {
            Asked::Sweep => self.swept(session.harness.clone(), model),
            Asked::Question(Question::Main(proc)) if self.proved[question] => {
                let found = self.verified(session, *proc, model);
                (None, found.unwrap_or_else(|why| undecided(session, "main", model, why)))
            }
            Asked::Question(question) => (
                question.test().cloned(),
                check::check(session, question, model, &self.terms(), self.progress),
            ),
        };
        Failure { question, test, result }
    }

    fn verified(&self, session: &Session, main: ProcId, model: &Model) -> Result<CheckResult, Reason> {
        Ok(verify::verify(session, main, model, &self.budget(), Approach::Refine, self.progress).result)
    }

    /// How a machine is explored.
    fn exploring(&self, model: &Model) -> Result<explore::Options, Reason> {
        let buffering = model.buffering.ok_or_else(|| {
            Reason::Internal(format!("no machine of the explicit engine runs {}", model.name))
        })?;
        Ok(explore::Options { buffering, budget: self.budget(), ..explore::Options::default() })
    }

    fn budget(&self) -> Budget {
        self.terms().allowance.begin()
    }

    /// The name of a question; a test that was written out on the command line is shown as written.
    fn name(&self, asked: &Asked) -> String {
        let harness = &self.request.session.harness;
        match asked {
            Asked::Question(Question::Test(test)) if !harness.tests.contains(test) => test.show(harness),
            Asked::Question(question) => question.name().to_owned(),
            Asked::Sweep => match self.request.sweep(harness.clone(), &fencepost_models::sc()) {
                Ok(sweep) => {
                    let counted = Schedules::until(sweep.scope.clone(), &Poll::new(&self.budget()));
                    let schedules = counted
                        .map_or("schedules".into(), |schedules| numbered(schedules.total(), "schedule"));
                    let bound = sweep.options.preemptions.map(|bound| format!("at most {bound} preemptions"));
                    let more: Vec<String> = bound.into_iter().collect();
                    format!("{schedules} ({})", sweep.scope.show(&more))
                }
                Err(_) => "schedules".into(),
            },
        }
    }
}

/// Whether a placement has a fence that is not needed.
fn has_spare(placed: &Placed) -> bool {
    placed.fences.iter().any(|fence| fence.without == Without::Holds)
}

fn disagreement(when: &str) -> Reason {
    Reason::Internal(format!("the search and an ordinary check disagree {when}"))
}

/// The result of a question that could not even be asked.
fn undecided(session: &Session, test: &str, model: &Model, why: Reason) -> CheckResult {
    CheckResult {
        file: session.file.clone(),
        test: test.into(),
        notation: String::new(),
        model: model.name.clone(),
        property: Property::Assertions,
        verdict: Verdict::Inconclusive(why),
        scope: Scope::default(),
        statistics: Statistics::default(),
    }
}
