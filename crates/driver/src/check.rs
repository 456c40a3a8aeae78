//! One check: mine the specification, ask the engine, have the referee look at its trace.

use crate::open;
use crate::session::Session;
use fencepost_bounded::Leeway;
use fencepost_bounded::OrderEncoding;
use fencepost_bounded::Precision;
use fencepost_bounded::check::{Bounded, Options, observations};
use fencepost_explore::{self as explore, Explicit, Termination};
use fencepost_harness::budget::{Allowance, Budget, Poll, peak_memory};
use fencepost_harness::engine::{self, Finding, Task};
use fencepost_harness::mine::Mined;
use fencepost_harness::observation::{Observation, ObservationSet, Seen};
use fencepost_harness::operation::ValueTy;
use fencepost_harness::question::Question;
use fencepost_harness::result::{CheckResult, Counterexample, Property, Scope, Statistics, Verdict, Wrong};
use fencepost_harness::test::Test;
use fencepost_harness::trace::{Explanation, Trace};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{Fence, Order, address};
use fencepost_lsl::value::Value;
use fencepost_models::cat::{BaseRelation, Model};
use fencepost_replay::{self as replay, Refusal, asked, judge_until, replay_until};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::Instant;

/// How much a check may cost, and how it goes about it.
#[derive(Clone, Default)]
pub struct Terms {
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
    pub engine: Decider,
}

/// What decides.
#[derive(Clone, Default)]
pub enum Decider {
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

impl Terms {
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
pub enum Stage {
    /// Running serial executions.
    Mining,
    /// In an engine.
    Engine(engine::Progress),
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
    let in_order = [Fence { store_store: true, ..Fence::NONE }, Fence::of_order(Order::Release)];
    let dependency = [BaseRelation::Addr, BaseRelation::Data, BaseRelation::Ctrl];
    Leeway {
        own_early: any(&replay::lets_threads_read_own_blocks_early),
        unordered_loads: any(&replay::lets_loads_overtake_loads) || any(&replay::lets_loads_overtake_blocks),
        dependencies: any(&|model| dependency.iter().any(|&base| model.mentions(base))),
        late_loads: any(&replay::lets_stores_overtake_loads),
        pairs: any(&|model| model.mentions(BaseRelation::Rmw)),
        races: any(&|model| !model.flags.is_empty()),
        late_stores: any(&|model| replay::lets_stores_overtake_stores(model, Fence::NONE)),
        late_past_fences: any(&|model| {
            in_order.into_iter().any(|fence| replay::lets_stores_overtake_stores(model, fence))
        }),
        late_blocks: any(&replay::lets_stores_overtake_blocks),
        late_ghosts: any(&|model| replay::lets_ghosts_overtake_stores(model, Fence::NONE)),
        late_ghosts_past_fences: any(&|model| replay::lets_ghosts_overtake_stores(model, Fence::FULL)),
        chains: any(&has_chains),
    }
}

/// Whether a model forbids cycles of reads-from with anything but address and data dependencies, apart from those of its
/// memory order.
fn has_chains(model: &Model) -> bool {
    use BaseRelation::{Addr, Data, Ext, Id, Int, Loc, Rf};
    let harmless = [Rf, Addr, Data, Loc, Int, Ext, Id];
    model.constraints.iter().any(|constraint| {
        let mentions = |base| constraint.mentions(base);
        mentions(Rf)
            && !mentions(BaseRelation::Co)
            && BaseRelation::ALL.iter().any(|base| !harmless.contains(base) && mentions(*base))
    })
}

/// Checks what is asked about on a model.
pub fn check(
    session: &Session,
    question: &Question,
    model: &Model,
    terms: &Terms,
    progress: &dyn Fn(Stage),
) -> CheckResult {
    let _span = tracing::info_span!("check", test = question.name(), model = model.name).entered();
    let start = Instant::now();
    let budget = terms.allowance.begin();
    let mut result = CheckResult {
        file: session.file.clone(),
        test: question.name().to_owned(),
        notation: question.test().map_or(String::new(), |test| test.show(&session.harness)),
        model: model.name.clone(),
        property: if question.test().is_some() { Property::Serial } else { Property::Assertions },
        verdict: Verdict::Holds,
        scope: Scope { mapping: model.mapping, ..scope(session, question) },
        statistics: Statistics::default(),
    };
    // What was thought impossible and happens all the same is no verdict, and no reason to lose those of others.
    let judged = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let judge = Judge { session, question, model, budget: &budget, reuse: terms.reuse };
        judge.specified(terms, progress, &mut result)
    }));
    result.verdict = match judged.unwrap_or_else(|_| Err(Reason::Internal("the engine panicked".into()))) {
        Ok(verdict) => verdict,
        Err(reason) => Verdict::Inconclusive(reason),
    };
    result.statistics.total_time = start.elapsed();
    result.statistics.peak_memory = peak_memory();
    result
}

fn scope(session: &Session, question: &Question) -> Scope {
    let caveats = session.harness.caveats.clone();
    let Some(test) = question.test() else { return Scope { caveats, ..Scope::default() } };
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

/// What is not held against a program unless asked for.
const STUCK: &str =
    "whether threads may wait for ever, as they do in some executions; --stuck makes that a violation";

/// The same.
const ENDLESS: &str = "executions that never end; --endless fair makes them violations";

/// What is told of a program of which no execution ends.
const NEVER_ENDS: &str = "an execution that ends: in every one of them threads wait or run for ever";

/// Asks engines about a question, and has the referee look at what they show.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub(crate) session: &'a Session,
    pub(crate) question: &'a Question,
    pub(crate) model: &'a Model,
    pub(crate) budget: &'a Budget,
    pub(crate) reuse: bool,
}

impl Judge<'_> {
    /// The verdict of the engine that is chosen, on what the specification admits.
    fn specified(
        &self,
        terms: &Terms,
        progress: &dyn Fn(Stage),
        result: &mut CheckResult,
    ) -> Result<Verdict, Reason> {
        let mut options = terms.options();
        options.unroll.leeway = leeway(&[self.model]);
        let mined = match self.question.test() {
            None => None,
            Some(test) => {
                progress(Stage::Mining);
                let start = Instant::now();
                let mined = match terms.mining {
                    Mining::Enumeration => mine(self.session, test, self.budget)?,
                    Mining::Sat => Rc::new(self.ask_for_specification(&options)?),
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
                let serial = Judge { model: &fencepost_models::serial(), ..*self };
                return serial.violated(trace, Wrong::Fault, None, true);
            }
            Some(Mined::Impossible(why)) => return Err(Reason::Specification(why.clone())),
        };
        match &terms.engine {
            Decider::Bounded => {
                let (verdict, outcome) =
                    self.decided(&Bounded { options }, specification, progress, result)?;
                if let Some(features) = outcome {
                    let spins = result.scope.loops.iter().any(|bound| bound.spin);
                    result.scope.caveats.extend(open::bounded(self.question, features, spins));
                }
                Ok(verdict)
            }
            Decider::Explicit(how) => {
                let engine = Explicit { options: how.clone() };
                let (verdict, features) = self.decided(&engine, specification, progress, result)?;
                if let Some(features) = features {
                    result.scope.caveats.extend(open::primed(self.question, features));
                    let ends = !result.scope.caveats.iter().any(|caveat| caveat == NEVER_ENDS);
                    if ends && features.repeats && how.termination == Termination::Ignore {
                        result.scope.caveats.push(ENDLESS.into());
                    }
                }
                Ok(verdict)
            }
        }
    }

    /// Mines with the solver. Serial executions that fail are left out, so this is for comparisons only.
    fn ask_for_specification(&self, options: &Options) -> Result<Mined, Reason> {
        let options = Options { budget: self.budget.clone(), ..options.clone() };
        let serial = fencepost_models::serial();
        let observations = observations(&self.session.harness, self.question, &serial, &options)?;
        Ok(Mined::Specification { observations, calls: 0 })
    }

    /// What an engine says, if the referee accepts it. If all is right, what the program does that matters to what is left open.
    pub(crate) fn decided(
        &self,
        engine: &dyn engine::Engine,
        specification: Option<&ObservationSet>,
        progress: &dyn Fn(Stage),
        result: &mut CheckResult,
    ) -> Result<(Verdict, Option<open::Features>), Reason> {
        let Judge { session, question, model, budget, reuse } = *self;
        let task = Task { harness: &session.harness, question, specification, model, reuse, budget };
        let outcome = engine.decide(&task, &|phase| progress(Stage::Engine(phase)));
        result.statistics = Statistics { mine_time: result.statistics.mine_time, ..outcome.statistics };
        (result.scope.loops, result.scope.visited) = (outcome.scope.loops, outcome.scope.visited);
        if question.test().is_none() {
            result.scope.threads = outcome.scope.threads;
        }
        result.scope.caveats.extend(outcome.scope.caveats);
        if outcome.stuck {
            result.scope.caveats.push(STUCK.into());
        }
        progress(Stage::Replaying);
        match outcome.finding {
            Finding::Inconclusive(reason) => Err(reason),
            Finding::Violated { wrong, trace } => {
                self.violated(&trace, wrong, specification, false).map(|verdict| (verdict, None))
            }
            Finding::Holds => {
                if engine.shows() && !outcome.ends {
                    result.scope.caveats.push(NEVER_ENDS.into());
                }
                let features = open::features(session, question);
                result.scope.caveats.extend(open::everywhere(features, reuse));
                if engine.shows() {
                    // Proof that the verdict speaks of something: an execution that the referee accepts.
                    let missing = || Reason::Internal("no execution can be shown".into());
                    let witness = outcome.witness.ok_or_else(missing)?;
                    self.accepted(&witness)?;
                    match open::races(session, features, &witness, model) {
                        Ok(race) => result.scope.race = race,
                        Err(caveat) => result.scope.caveats.push(caveat),
                    }
                }
                Ok((Verdict::Holds, Some(features)))
            }
        }
    }

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
        asked(&self.session.harness, self.question.test(), trace).map_err(|why| refused(Refusal::Wrong(why)))
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
        if let Wrong::Flagged { rule, events } = &wrong {
            let poll = Poll::new(self.budget);
            let breaks = replay::breaks(&self.session.harness, trace, self.model, rule, *events, &poll);
            if !breaks.map_err(refused)? {
                return Err(Reason::Internal(format!("a trace does not break the rule {rule}")));
            }
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
/// execution. Numbers may match by chance; that does no harm, since nothing is proved by it.
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

/// The specification of a test as a shared value, for callers that compare ways to find it.
pub fn specification(session: &Session, question: &Question) -> Option<Rc<Mined>> {
    question.test().and_then(|test| session.specification(test, &Poll::never()).ok())
}
