//! One check: mine the specification, ask the engine, have the referee look at its trace.

use crate::open;
use crate::session::{Session, Subject};
use fencepost_bounded::check::{self, Finding, Options, Phase};
use fencepost_bounded::range::Precision;
use fencepost_bounded::solver::OrderEncoding;
use fencepost_bounded::unroll::{self, Leeway};
use fencepost_explore as explore;
use fencepost_harness::budget::{Allowance, Budget, Poll, peak_memory};
use fencepost_harness::mine::Mined;
use fencepost_harness::observation::{Observation, ObservationSet, Seen};
use fencepost_harness::operation::ValueTy;
use fencepost_harness::result::{
    CheckResult, Counterexample, LoopBound, Property, Scope, Statistics, Verdict, Visited, Wrong,
};
use fencepost_harness::test::Test;
use fencepost_harness::trace::{Explanation, Trace};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{Fence, address};
use fencepost_lsl::value::Value;
use fencepost_models::cat::{BaseRelation, Model};
use fencepost_replay::{self as replay, Refusal, asked, judge_until, replay_until};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::Instant;

/// How much a check may cost, and how it goes about it.
#[derive(Clone, Default)]
pub struct Limits {
    /// What each check may cost.
    pub allowance: Allowance,
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
            budget: self.allowance.begin(),
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

/// What any of these models allows.
pub fn leeway(models: &[&Model]) -> Leeway {
    let any = |question: &dyn Fn(&Model) -> bool| models.iter().any(|model| question(model));
    let in_order = Fence { store_store: true, ..Fence::NONE };
    let dependency = [BaseRelation::Addr, BaseRelation::Data, BaseRelation::Ctrl];
    Leeway {
        own_early: any(&replay::lets_threads_read_own_blocks_early),
        unordered_loads: any(&replay::lets_loads_overtake_loads) || any(&replay::lets_loads_overtake_blocks),
        dependencies: any(&|model| dependency.iter().any(|&base| model.mentions(base))),
        late_loads: any(&replay::lets_stores_overtake_loads),
        late_stores: any(&|model| replay::lets_stores_overtake_stores(model, Fence::NONE)),
        late_past_fences: any(&|model| replay::lets_stores_overtake_stores(model, in_order)),
        late_blocks: any(&replay::lets_stores_overtake_blocks),
    }
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
    let mut options = limits.options();
    options.unroll.leeway = leeway(&[model]);
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
    // `u64::MAX` stands for any larger number.
    let choices = test.invocations().flat_map(|call| &session.harness.op(call.op).inputs);
    let inputs = choices.map(|input| input.choices.len() as u64).fold(1, u64::saturating_mul);
    Scope {
        threads: test.threads.len(),
        calls: test.invocations().count(),
        inputs,
        caveats,
        ..Scope::default()
    }
}

/// The specification of a test, as far as a budget lasts.
pub(crate) fn mine(session: &Session, test: &Test, budget: &Budget) -> Result<Rc<Mined>, Reason> {
    Ok(session.specification(test, &Poll::new(budget))?)
}

/// Mines with the solver. Serial executions that fail are left out, so this is for comparisons only.
fn ask_for_specification(session: &Session, test: &Test, options: &Options) -> Result<Mined, Reason> {
    let subject = unroll::Subject::Test(test);
    let observations = check::observations(&session.harness, subject, &fencepost_models::serial(), options)?;
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
                Mining::Enumeration => mine(session, test, &options.budget)?,
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
            let model = &fencepost_models::serial();
            let judge = Judge { session, test: subject.test(), model, budget: &options.budget };
            return judge.violated(trace, Wrong::Fault, None, true);
        }
        Some(Mined::Impossible(why)) => return Err(Reason::Specification(why.clone())),
    };
    match &limits.engine {
        Engine::Bounded => bounded(session, subject, model, specification, options, progress, result),
        Engine::Explicit(how) => {
            let budget = Budget { states: how.budget.states, ..options.budget.clone() };
            let how = explore::Options { reuse: limits.reuse, budget, ..how.clone() };
            let judge = Judge { session, test: subject.test(), model, budget: &options.budget };
            explicit(judge, subject, specification, how, progress, result)
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
    let judge = Judge { session, test: subject.test(), model, budget: &options.budget };
    match outcome.finding {
        Finding::Holds { witness, ends } => {
            // Proof that the verdict speaks of something: an execution that the referee accepts.
            judge.accepted(&witness)?;
            if !ends {
                result.scope.caveats.push(NEVER_ENDS.into());
            }
            let features = leave_open(session, subject, model, options.unroll.reuse, &witness, result);
            let spins = outcome.loops.iter().any(|info| info.spin);
            result.scope.caveats.extend(open::bounded(subject, features, spins));
            let open = outcome.loops.iter().any(|info| info.bounded);
            if open && replay::lets_stores_overtake_loads(model) {
                result.scope.caveats.push(EARLY_STORES.into());
            }
            Ok(Verdict::Holds)
        }
        Finding::Violated(trace) => {
            let wrong = if trace.fault().is_some() { Wrong::Fault } else { Wrong::Observation };
            judge.violated(&trace, wrong, specification, false)
        }
        Finding::Unknown(reason) => Err(reason),
    }
}

fn explicit(
    judge: Judge,
    subject: &Subject,
    specification: Option<&ObservationSet>,
    how: explore::Options,
    progress: &dyn Fn(Progress),
    result: &mut CheckResult,
) -> Result<Verdict, Reason> {
    let Judge { session, model, .. } = judge;
    let Some(buffering) = model.buffering else {
        return Err(Reason::Unsupported(format!("the explicit engine on {}", model.name)));
    };
    let explored = match subject {
        Subject::Test(test) => explore::Subject::Test(test, specification),
        Subject::Main(proc) => explore::Subject::Main(*proc),
    };
    let how = explore::Options { buffering, ..how };
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
            judge.accepted(witness)?;
            let features = leave_open(session, subject, model, how.reuse, witness, result);
            result.scope.caveats.extend(open::primed(subject, features));
            if found.statistics.endless {
                result.scope.caveats.push(NEVER_ENDS.into());
            } else if features.repeats && how.termination == explore::Termination::Ignore {
                result.scope.caveats.push(ENDLESS.into());
            }
            Ok(Verdict::Holds)
        }
        explore::Verdict::Violated { violation, trace } => {
            judge.violated(&trace, violation.into(), specification, false)
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

/// What is told of a program of which no execution ends.
const NEVER_ENDS: &str = "an execution that ends: in every one of them threads wait or run for ever";

/// What the check of loop bounds does not see where stores may overtake loads; see docs/models.md.
const EARLY_STORES: &str = "loops that repeat more often only because another thread saw a store that \
                            their own thread makes after them";

/// Who has the referee look at traces of a model.
#[derive(Clone, Copy)]
struct Judge<'a> {
    session: &'a Session,
    /// What was asked; `main` if it is none.
    test: Option<&'a Test>,
    model: &'a Model,
    budget: &'a Budget,
}

impl Judge<'_> {
    /// Has an execution accepted.
    fn accepted(&self, trace: &Trace) -> Result<(), Reason> {
        self.asked(trace)?;
        judge_until(&self.session.harness, trace, self.model, &[], &Poll::new(self.budget)).map_err(refused)
    }

    /// Has an execution accepted and explained.
    fn replayed(&self, trace: &Trace) -> Result<Explanation, Reason> {
        self.asked(trace)?;
        replay_until(&self.session.harness, trace, self.model, &Poll::new(self.budget)).map_err(refused)
    }

    /// That it is an execution of what was asked.
    fn asked(&self, trace: &Trace) -> Result<(), Reason> {
        asked(&self.session.harness, self.test, trace).map_err(|why| refused(Refusal::Wrong(why)))
    }

    fn violated(
        &self,
        trace: &Trace,
        wrong: Wrong,
        specification: Option<&ObservationSet>,
        serial: bool,
    ) -> Result<Verdict, Reason> {
        let explanation = self.replayed(trace)?;
        let mut nearest = Vec::new();
        if (trace.fault().is_some()) != (wrong == Wrong::Fault) {
            return Err(Reason::Internal("a trace is not as wrong as was said".into()));
        }
        if wrong == Wrong::Observation {
            let observed = trace.observation(&self.session.harness);
            let (Some(specification), Some(observed)) = (specification, observed) else {
                return Err(Reason::Internal("a trace violates nothing".into()));
            };
            if specification.admits(&observed) {
                return Err(Reason::Internal("a trace violates nothing: its observation is serial".into()));
            }
            let reused = trace.reused_objects(&self.session.harness);
            if !reused.is_empty() && specification.admits_if_shared(&observed, &reused) {
                return Err(Reason::Unsupported(
                    "operations give back pointers to memory that was freed and used again, which look the same although \
                     they mean different objects; check without --reuse what they give back"
                        .into(),
                ));
            }
            if let Some(op) = address_as_number(self.session, trace, specification, &observed) {
                return Err(Reason::Unsupported(format!(
                    "operation `{op}` gives back the address of a new object as a number, and addresses differ between \
                     executions; let it give back a pointer, which is compared by what it points to"
                )));
            }
            nearest =
                specification.nearest(&observed).into_iter().map(|(o, slots)| (o.clone(), slots)).collect();
        }
        let trace = trace.clone();
        Ok(Verdict::Violated(Box::new(Counterexample { wrong, trace, explanation, nearest, serial })))
    }
}

/// Why there is no verdict if the referee does not accept a trace.
pub(crate) fn refused(refusal: Refusal) -> Reason {
    match refusal {
        Refusal::Wrong(why) => Reason::Internal(format!("a trace does not replay: {why}")),
        Refusal::TooLong => Reason::Unsupported(replay::too_long()),
        Refusal::Cut(exhausted) => exhausted.into(),
    }
}

/// The operation that gives back the address of an object as a number, if nothing else can be said against an
/// observation that is not serial.
///
/// Whether the number is wrong cannot be known: memory could be laid out such that it is the same as in a serial
/// execution. That numbers match by chance is no matter here, for nothing is proved by it.
fn address_as_number(
    session: &Session,
    trace: &Trace,
    specification: &ObservationSet,
    observed: &Observation,
) -> Option<String> {
    let mut calls: Vec<_> = trace.threads.iter().flat_map(|thread| &thread.calls).collect();
    calls.retain(|call| call.op.is_some());
    calls.sort_by_key(|call| call.op.map(|(_, number)| number));
    let objects = trace.new_objects();
    // Alone, packed with something else, or shifted.
    let parts = |word: u64| (0..34).map(move |shift| word >> shift & (address::END - 1));
    let mut suspect = None;
    let mut open = Vec::new();
    for call in calls {
        let op = session.harness.op(call.op?.0);
        open.resize(open.len() + op.inputs.len(), false);
        for (output, value) in op.outputs.iter().zip(call.results.as_ref()?) {
            let number = matches!(output.ty, ValueTy::Int(ty) if ty.bits >= 32);
            let address = number && parts(value.bits()).any(|part| objects.find(part).is_some());
            open.push(address);
            if address {
                suspect.get_or_insert_with(|| op.name.clone());
            }
        }
    }
    let excused = |slot: usize, serial: Seen| {
        let like =
            |word: Value| parts(word.bits()).any(|part| (address::STACK..address::END).contains(&part));
        open[slot] && serial.word().is_some_and(like)
    };
    specification.admits_but_for(observed, &excused).then_some(suspect).flatten()
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
    subject.test().and_then(|test| session.specification(test, &Poll::never()).ok())
}
