//! One check: mine the specification, ask the engine, have the referee look at its trace.

use crate::open;
use crate::session::{Session, Subject};
use fencepost_bounded::check::{self, Finding, Options, Phase};
use fencepost_bounded::range::Precision;
use fencepost_bounded::solver::{Budget, OrderEncoding, peak_memory};
use fencepost_bounded::unroll;
use fencepost_explore as explore;
use fencepost_harness::mine::Mined;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::result::{
    CheckResult, Counterexample, LoopBound, Property, Scope, Statistics, Verdict, Visited, Wrong,
};
use fencepost_harness::test::Test;
use fencepost_harness::trace::Trace;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{Program, Stmt, StmtKind};
use fencepost_models::cat::Model;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How much a check may cost, and how it goes about it.
#[derive(Clone, Default)]
pub struct Limits {
    /// Ends the check from outside when set.
    pub cancelled: Arc<AtomicBool>,
    /// Time for each check.
    pub timeout: Option<Duration>,
    /// Bytes of memory for the process.
    pub memory: Option<u64>,
    /// Repetitions of a loop beyond which to give up.
    pub max_unroll: Option<u32>,
    /// Whether `malloc` may return what was freed before.
    pub reuse: bool,
    /// How orders are encoded.
    pub order: OrderEncoding,
    /// How precise the range analysis is.
    pub precision: Precision,
    /// How specifications are mined.
    pub mining: Mining,
    /// Which engine decides.
    pub engine: Engine,
}

/// What decides.
#[derive(Clone, Default)]
pub enum Engine {
    /// The solver.
    #[default]
    Bounded,
    /// Exploration of states, in this way; model, reuse, time and memory are those of the check.
    Explicit(explore::Options),
}

/// How a specification is mined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mining {
    /// By running the serial executions.
    #[default]
    Enumeration,
    /// By asking the solver for them, as the paper does.
    Sat,
}

impl Limits {
    /// The engine's options for a check that starts now.
    pub(crate) fn options(&self) -> Options {
        let mut options = Options {
            budget: Budget {
                cancelled: self.cancelled.clone(),
                deadline: self.timeout.map(|timeout| Instant::now() + timeout),
                memory: self.memory,
            },
            order: self.order,
            precision: self.precision,
            ..Options::default()
        };
        options.unroll.reuse = self.reuse;
        if let Some(limit) = self.max_unroll {
            options.max_unroll = limit;
        }
        options
    }
}

/// What a check is doing, for a progress line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Running serial executions.
    Mining,
    /// In the bounded engine: the phase and the round.
    Engine(Phase, u32),
    /// In the explicit engine: states so far.
    States(u64),
    /// Replaying a trace.
    Replaying,
    /// Looking for fences: placements tried, sets of which each needs one, fences of the one under way.
    Inferring {
        /// Placements tried before.
        tried: usize,
        /// Sets of fences of which each placement needs one.
        corrections: usize,
        /// Fences of the placement under way.
        fences: usize,
    },
}

/// Checks a subject on a model.
pub fn check(
    session: &Session,
    subject: &Subject,
    model: &Model,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> CheckResult {
    let start = Instant::now();
    let options = limits.options();
    let mut result = CheckResult {
        file: session.file.clone(),
        test: subject.name().to_owned(),
        notation: subject.test().map_or(String::new(), |test| test.show(&session.harness)),
        model: model.name.clone(),
        property: if subject.test().is_some() { Property::Serial } else { Property::Assertions },
        verdict: Verdict::Holds,
        scope: scope(session, subject),
        statistics: Statistics::default(),
    };
    // What was thought impossible and happens all the same is no verdict, and no reason to lose those of others.
    let judged = std::panic::catch_unwind(AssertUnwindSafe(|| {
        judge(session, subject, model, &options, limits, progress, &mut result)
    }));
    result.verdict = match judged.unwrap_or_else(|_| Err(Reason::Internal("the engine panicked".into()))) {
        Ok(verdict) => verdict,
        Err(reason) => Verdict::Inconclusive(reason),
    };
    result.statistics.total_time = start.elapsed();
    result.statistics.peak_memory = peak_memory();
    result
}

fn scope(session: &Session, subject: &Subject) -> Scope {
    let caveats = session.harness.caveats.clone();
    let Some(test) = subject.test() else { return Scope { caveats, ..Scope::default() } };
    let choices =
        |op| session.harness.op(op).inputs.iter().map(|input| input.choices.len() as u64).product::<u64>();
    Scope {
        threads: test.threads.len(),
        calls: test.invocations().count(),
        inputs: test.invocations().map(|call| choices(call.op)).product(),
        caveats,
        ..Scope::default()
    }
}

/// Mines with the solver. Serial executions that fail are left out, so this is for comparisons only.
fn ask_for_specification(session: &Session, test: &Test, options: &Options) -> Result<Mined, Reason> {
    let subject = unroll::Subject::Test(test);
    let observations = check::observations(&session.harness, subject, &serial_model(), options)?;
    Ok(Mined::Specification { observations, calls: 0 })
}

fn judge(
    session: &Session,
    subject: &Subject,
    model: &Model,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
    result: &mut CheckResult,
) -> Result<Verdict, Reason> {
    let mined = match subject {
        Subject::Main(_) => None,
        Subject::Test(test) => {
            progress(Progress::Mining);
            let start = Instant::now();
            let mined = match limits.mining {
                Mining::Enumeration => session.specification(test, &|| options.budget.exhausted().is_some()),
                Mining::Sat => Rc::new(ask_for_specification(session, test, options)?),
            };
            result.statistics.mine_time = start.elapsed();
            Some(mined)
        }
    };
    let specification = match mined.as_deref() {
        None => None,
        Some(Mined::Specification { observations, calls }) => {
            result.scope.observations = Some(observations.len());
            result.scope.serial_calls = *calls;
            Some(observations)
        }
        Some(Mined::Fault(trace)) => {
            return violated(session, trace, Wrong::Fault, &serial_model(), None, true);
        }
        Some(Mined::Impossible(why)) => {
            return Err(match options.budget.exhausted() {
                Some(exhausted) => exhausted.into(),
                None => Reason::Specification(why.clone()),
            });
        }
    };
    match &limits.engine {
        Engine::Bounded => bounded(session, subject, model, specification, options, progress, result),
        Engine::Explicit(how) => {
            let budget = explore::Budget {
                cancelled: options.budget.cancelled.clone(),
                deadline: options.budget.deadline,
                memory: options.budget.memory,
                states: how.budget.states,
            };
            let how = explore::Options { reuse: limits.reuse, budget, ..how.clone() };
            explicit(session, subject, model, specification, how, progress, result)
        }
    }
}

fn bounded(
    session: &Session,
    subject: &Subject,
    model: &Model,
    specification: Option<&ObservationSet>,
    options: &Options,
    progress: &dyn Fn(Progress),
    result: &mut CheckResult,
) -> Result<Verdict, Reason> {
    let unrolled = match subject {
        Subject::Test(test) => unroll::Subject::Test(test),
        Subject::Main(proc) => unroll::Subject::Main(*proc),
    };
    let report = |phase, round| progress(Progress::Engine(phase, round));
    let outcome = check::check(&session.harness, unrolled, model, specification, options, &report);
    result.statistics = Statistics { mine_time: result.statistics.mine_time, ..outcome.statistics };
    result.scope.loops = bounds(&outcome.loops);
    if subject.test().is_none() {
        result.scope.threads = outcome.threads;
    }
    progress(Progress::Replaying);
    match outcome.finding {
        Finding::Holds { witness } => {
            // Proof that the verdict speaks of something: an execution that the referee accepts.
            accepted(session, &witness, model)?;
            let features = leave_open(session, subject, model, options.unroll.reuse, &witness, result);
            let spins = outcome.loops.iter().any(|info| info.spin);
            result.scope.caveats.extend(open::bounded(subject, features, spins));
            let open = outcome.loops.iter().any(|info| !info.spin);
            if open && fencepost_replay::lets_stores_overtake_loads(model) {
                result.scope.caveats.push(EARLY_STORES.into());
            }
            if frees(&session.harness.program) && fencepost_replay::lets_stores_overtake_stores(model) {
                result.scope.caveats.push(LATE_STORES.into());
            }
            Ok(Verdict::Holds)
        }
        Finding::Violated(trace) => {
            let wrong = if trace.fault().is_some() { Wrong::Fault } else { Wrong::Observation };
            violated(session, &trace, wrong, model, specification, false)
        }
        Finding::Unknown(reason) => Err(reason),
    }
}

fn explicit(
    session: &Session,
    subject: &Subject,
    model: &Model,
    specification: Option<&ObservationSet>,
    how: explore::Options,
    progress: &dyn Fn(Progress),
    result: &mut CheckResult,
) -> Result<Verdict, Reason> {
    let Some(machine) = explore::Model::named(&model.name) else {
        return Err(Reason::Unsupported(format!("the explicit engine on {}", model.name)));
    };
    let explored = match subject {
        Subject::Test(test) => explore::Subject::Test(test, specification),
        Subject::Main(proc) => explore::Subject::Main(*proc),
    };
    let how = explore::Options { model: machine, ..how };
    let report = |statistics: &explore::Statistics| progress(Progress::States(statistics.states));
    let found = explore::explore(&session.harness, explored, &how, None, &report);
    result.scope.visited = Some(Visited {
        abstraction: "none".into(),
        states: found.statistics.states,
        transitions: found.statistics.transitions,
        preemptions: how.preemptions,
    });
    result.statistics.solve_time = found.statistics.time;
    if subject.test().is_none() {
        let longest = [&found.witness].into_iter().flatten().map(|trace| trace.threads.len()).max();
        result.scope.threads = longest.unwrap_or(0);
    }
    if let Some(bound) = how.preemptions {
        result.scope.caveats.push(format!("executions with more than {bound} preemptions"));
    }
    if found.statistics.stuck > 0 && !how.stuck {
        result.scope.caveats.push(STUCK.into());
    }
    progress(Progress::Replaying);
    match found.verdict {
        explore::Verdict::Holds => {
            let Some(witness) = &found.witness else {
                return Err(Reason::Internal("no execution can be shown".into()));
            };
            accepted(session, witness, model)?;
            let features = leave_open(session, subject, model, how.reuse, witness, result);
            result.scope.caveats.extend(open::primed(subject, features));
            if features.repeats && how.termination == explore::Termination::Ignore {
                result.scope.caveats.push(ENDLESS.into());
            }
            Ok(Verdict::Holds)
        }
        explore::Verdict::Violated { violation, trace } => {
            violated(session, &trace, violation.into(), model, specification, false)
        }
        explore::Verdict::Inconclusive(reason) => Err(reason),
    }
}

/// Says what no engine looked at. `execution` is one of those that are right.
fn leave_open(
    session: &Session,
    subject: &Subject,
    model: &Model,
    reuse: bool,
    execution: &Trace,
    result: &mut CheckResult,
) -> open::Features {
    let features = open::features(session, subject);
    result.scope.caveats.extend(open::everywhere(features, reuse));
    match open::races(session, features, execution, model) {
        Ok(race) => result.scope.race = race,
        Err(caveat) => result.scope.caveats.push(caveat),
    }
    features
}

/// What is not held against a program unless asked for.
const STUCK: &str =
    "whether threads may wait for ever, as they do in some executions; --stuck makes that a violation";

/// The same.
const ENDLESS: &str = "executions that never end; --endless fair makes them violations";

/// What the check of loop bounds does not see where stores may overtake loads; see docs/models.md.
const EARLY_STORES: &str = "loops that repeat more often only because another thread saw a store that \
                            their own thread makes after them";

/// What no execution with errors that end their threads can show; see docs/models.md.
const LATE_STORES: &str = "stores that reach an object after another thread freed it because of what \
                           their own thread did after them";

fn frees(program: &Program) -> bool {
    fn any(body: &[Stmt]) -> bool {
        body.iter().any(|stmt| match &stmt.kind {
            StmtKind::Free { .. } => true,
            StmtKind::Block { body, .. } | StmtKind::Atomic(body) => any(body),
            _ => false,
        })
    }
    program.procs.iter().any(|proc| any(&proc.body))
}

fn serial_model() -> Model {
    // A test of the library loads every shipped model.
    fencepost_models::builtin("serial").expect("the model `serial` ships")
}

fn accepted(session: &Session, trace: &Trace, model: &Model) -> Result<(), Reason> {
    fencepost_replay::judge(&session.harness, trace, model, &[])
        .map_err(|why| Reason::Internal(format!("a trace does not replay: {why}")))
}

fn replayed(
    session: &Session,
    trace: &Trace,
    model: &Model,
) -> Result<fencepost_harness::trace::Explanation, Reason> {
    fencepost_replay::replay(&session.harness, trace, model)
        .map_err(|why| Reason::Internal(format!("a trace does not replay: {why}")))
}

fn violated(
    session: &Session,
    trace: &Trace,
    wrong: Wrong,
    model: &Model,
    specification: Option<&ObservationSet>,
    serial: bool,
) -> Result<Verdict, Reason> {
    let explanation = replayed(session, trace, model)?;
    let mut nearest = Vec::new();
    if (trace.fault().is_some()) != (wrong == Wrong::Fault) {
        return Err(Reason::Internal("a trace is not as wrong as was said".into()));
    }
    if wrong == Wrong::Observation {
        let (Some(specification), Some(observed)) = (specification, trace.observation()) else {
            return Err(Reason::Internal("a trace violates nothing".into()));
        };
        if specification.admits(&observed) {
            return Err(Reason::Internal("a trace violates nothing: its observation is serial".into()));
        }
        nearest = specification.nearest(&observed).into_iter().map(|(o, slots)| (o.clone(), slots)).collect();
    }
    Ok(Verdict::Violated(Box::new(Counterexample {
        wrong,
        trace: trace.clone(),
        explanation,
        nearest,
        serial,
    })))
}

/// Loop instances, gathered by their place in the source.
fn bounds(loops: &[unroll::LoopInfo]) -> Vec<LoopBound> {
    let mut found: Vec<LoopBound> = Vec::new();
    for info in loops {
        match found.iter_mut().find(|bound| bound.span == info.span && bound.spin == info.spin) {
            Some(bound) => {
                bound.instances += 1;
                bound.bound = bound.bound.max(info.bound);
            }
            None => found.push(LoopBound {
                span: info.span,
                instances: 1,
                bound: info.bound,
                spin: info.spin,
                recursion: info.recursion,
            }),
        }
    }
    found.sort_by_key(|bound| bound.span);
    found
}

/// The specification of a test as a shared value, for callers that compare ways to find it.
pub fn specification(session: &Session, subject: &Subject) -> Option<Rc<Mined>> {
    subject.test().map(|test| session.specification(test, &|| false))
}
