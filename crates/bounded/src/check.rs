//! The check of one test on one model: bounds grow until no execution exceeds them, then every execution
//! within them is compared with the specification (CheckFence, Sections 3.2 and 3.3).
//!
//! Each round unrolls to the bounds known so far and asks one solver in turn: is there an execution that
//! fails? that exceeds a bound? that completes at all? An execution may be a prefix, in which threads
//! wait for ever or were cut at a bound: a failure or an excess found in it is one of the program, since
//! what the others would go on to do comes later. Only whole executions are compared with the
//! specification.
//!
//! On models on which a store may run ahead of a loop that precedes it in its thread, executions in which
//! a loop exceeds its bound only because such a store of its own thread ran ahead are not prefixes in this
//! sense and are not found; docs/models.md says more.

use crate::circuit::{Circuit, Lit};
use crate::decode::decode;
use crate::encode::{Encoding, Settings, Shortcuts, Slots, encode, hides_overwritten};
use crate::finals::Location;
use crate::range::{self, Precision};
use crate::solver::{Answer, Cadical, OrderEncoding};
use crate::switched::fences_only_forbid;
use crate::unroll::{self, Bounds, EventKind, Failure, LoopInfo, StopKind, Unrolled, unroll};
use crate::word::Word;
use fencepost_harness::budget::Budget;
use fencepost_harness::engine::{Engine, Finding, Outcome, Progress, Task};
use fencepost_harness::observation::{self, ObservationSet, observe};
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::result::{LoopBound, Scope, Statistics, Wrong};
use fencepost_harness::trace::Trace;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::Placement;
use fencepost_lsl::source::Span;
use fencepost_lsl::value::Value;
use fencepost_models::cat::Model;
use std::rc::Rc;
use std::time::Instant;
use tracing::field::Empty;

/// How to check.
#[derive(Clone)]
pub struct Options {
    /// When to stop.
    pub budget: Budget,
    /// Repetitions of a loop instance, or calls of a recursion, beyond which to give up.
    pub max_unroll: u32,
    /// How orders are encoded.
    pub order: OrderEncoding,
    /// How precise the range analysis is.
    pub precision: Precision,
    /// Shortcuts of the encoding.
    pub shortcuts: Shortcuts,
    /// How to unroll.
    pub unroll: unroll::Unrolling,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            budget: Budget::default(),
            max_unroll: 32,
            order: OrderEncoding::default(),
            precision: Precision::default(),
            shortcuts: Shortcuts::default(),
            unroll: unroll::Unrolling {
                reduce_spins: true,
                leeway: unroll::Leeway::default(),
                max_statements: 2_000_000,
                reuse: false,
                fences: Vec::new(),
                placed: None,
                budget: Budget::default(),
            },
        }
    }
}

/// The engine: a formula whose solutions are executions, made anew until no execution exceeds the bounds of its loops.
#[derive(Clone, Default)]
pub struct Bounded {
    /// How to check; budget and reuse are those of the task.
    pub options: Options,
}

/// What the check of loop bounds does not see where stores may overtake loads; see docs/models.md.
const EARLY_STORES: &str = "loops that repeat more often only because another thread saw a store that \
                            their own thread makes after them";

impl Engine for Bounded {
    fn decide(&self, task: &Task, progress: &dyn Fn(Progress)) -> Outcome {
        let mut options = Options { budget: task.budget.clone(), ..self.options.clone() };
        options.unroll.reuse = task.reuse;
        let Task { harness, question, specification, model, .. } = *task;
        check(harness, question, model, specification, &options, progress)
    }
}

/// Loop instances, gathered by their place in the source.
fn bounds(loops: &[LoopInfo]) -> Vec<LoopBound> {
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

/// Checks that every execution of what is asked about on a model is free of runtime errors and, if there is a
/// specification, observes only what it admits.
pub fn check(
    harness: &Harness,
    question: &Question,
    model: &Model,
    specification: Option<&ObservationSet>,
    options: &Options,
    progress: &dyn Fn(Progress),
) -> Outcome {
    let mut checker = Checker::new(harness, question, model, options, progress);
    let judgement = loop {
        checker.statistics.rounds += 1;
        match checker.round(|checker, encoding| checker.judge(encoding, specification)) {
            Ok(Some(judgement)) => break judgement,
            Ok(None) => {}
            Err(reason) => break Judgement::found(Finding::Inconclusive(reason)),
        }
    };
    let Judgement { finding, witness, ends } = judgement;
    let Checker { loops, threads, statistics, .. } = checker;
    let mut scope = Scope { threads, loops: bounds(&loops), ..Scope::default() };
    let open = loops.iter().any(|info| info.bounded);
    if finding == Finding::Holds && open && options.unroll.leeway.late_loads {
        scope.caveats.push(EARLY_STORES.into());
    }
    Outcome { finding, witness, ends, stuck: false, scope, statistics }
}

/// Enumerates the observations of all executions of a subject on a model by asking the solver for one
/// after the other (CheckFence, Section 3.2). With the model `serial`, this mines the specification.
pub fn observations(
    harness: &Harness,
    question: &Question,
    model: &Model,
    options: &Options,
) -> Result<ObservationSet, Reason> {
    let mut checker = Checker::new(harness, question, model, options, &|_| {});
    loop {
        let found = checker.round(|checker, encoding| {
            if checker.raise_bounds(encoding)? {
                return Ok(None);
            }
            checker.enumerate(encoding, Vec::new()).map(Some)
        })?;
        if let Some(found) = found {
            return Ok(found);
        }
    }
}

/// As [`observations`], with what locations hold in the end behind the slots of the calls. An execution with a runtime error
/// is a reason to give up; one that breaks a rule which the model has for programs is not.
pub fn final_states(
    harness: &Harness,
    question: &Question,
    model: &Model,
    locations: &[Location],
    options: &Options,
) -> Result<ObservationSet, Reason> {
    let model = &Model { flags: Vec::new(), ..model.clone() };
    let mut checker = Checker::new(harness, question, model, options, &|_| {});
    checker.round(|checker, encoding| {
        checker.without_faults(encoding)?;
        let finals: Vec<Rc<Word>> = locations.iter().map(|&location| encoding.final_word(location)).collect();
        checker.enumerate(encoding, finals)
    })
}

/// What a round of a check comes to.
pub(crate) struct Judgement {
    pub(crate) finding: Finding,
    witness: Option<Box<Trace>>,
    ends: bool,
}

impl Judgement {
    fn found(finding: Finding) -> Judgement {
        Judgement { finding, witness: None, ends: false }
    }

    fn holds(witness: Trace, ends: bool) -> Judgement {
        Judgement { finding: Finding::Holds, witness: Some(Box::new(witness)), ends }
    }

    /// That of the solution just found.
    fn violated(encoding: &mut Encoding, model: &Model) -> Judgement {
        let flagged = encoding.is_flagged();
        let (trace, numbers) = decode(encoding);
        let wrong = match flagged {
            _ if trace.fault().is_some() => Wrong::Fault,
            Some((rule, (first, second))) => {
                let rule = model.flags[rule].name.clone();
                Wrong::Flagged { rule, events: (numbers[&first], numbers[&second]) }
            }
            None => Wrong::Observation,
        };
        Judgement::found(Finding::Violated { wrong, trace: Box::new(trace) })
    }
}

/// The bounds known so far, and what is asked at them.
pub(crate) struct Checker<'a> {
    harness: &'a Harness,
    question: &'a Question,
    model: &'a Model,
    options: &'a Options,
    progress: &'a dyn Fn(Progress),
    pub(crate) bounds: Bounds,
    loops: Vec<LoopInfo>,
    threads: usize,
    pub(crate) statistics: Statistics,
    /// The fences at slots, if they are known.
    pub(crate) placed: Option<Placement>,
    /// The loop that would have exceeded the largest bound allowed.
    pub(crate) too_far: Option<(unroll::InstancePath, Span)>,
}

/// A bound that executions may exceed.
pub(crate) struct OpenBound {
    /// When one does.
    pub(crate) exceeded: Lit,
    pub(crate) instance: unroll::InstancePath,
    pub(crate) span: Span,
}

/// Conflicts to spend on failures before the bounds are known to suffice.
pub(crate) const EARLY_CONFLICTS: u32 = 2_000;

impl<'a> Checker<'a> {
    pub(crate) fn new(
        harness: &'a Harness,
        question: &'a Question,
        model: &'a Model,
        options: &'a Options,
        progress: &'a dyn Fn(Progress),
    ) -> Checker<'a> {
        Checker {
            harness,
            question,
            model,
            options,
            progress,
            bounds: Bounds::default(),
            loops: Vec::new(),
            threads: 0,
            statistics: Statistics::default(),
            placed: None,
            too_far: None,
        }
    }

    /// Unrolls and encodes to the current bounds and asks something of the result.
    pub(crate) fn round<T>(
        &mut self,
        ask: impl FnOnce(&mut Self, &mut Encoding) -> Result<T, Reason>,
    ) -> Result<T, Reason> {
        let mut encoding = self.encode()?;
        let answer = ask(self, &mut encoding);
        self.statistics.variables = encoding.circuit.variables;
        self.statistics.clauses = encoding.circuit.clauses;
        self.statistics.conflicts += encoding.circuit.solver.conflicts();
        encoding.sound()?;
        answer
    }

    /// The switches that events have at the current bounds.
    pub(crate) fn switches(&self) -> Result<Placement, Reason> {
        let unrolled = unroll(self.harness, self.question, &self.bounds, &self.options.unroll)
            .map_err(|failure| self.unroll_failure(failure))?;
        Ok(unrolled.events.iter().filter_map(|event| event.switch).collect())
    }

    /// Unrolls and encodes to the current bounds.
    pub(crate) fn encode(&mut self) -> Result<Encoding<'a>, Reason> {
        (self.progress)(Progress::Encoding(self.statistics.rounds));
        let start = Instant::now();
        let budget = self.options.budget.clone();
        let placed = self.placed.clone();
        let options = unroll::Unrolling {
            // What is left of an execution without its silent turns must still be one.
            reduce_spins: self.options.unroll.reduce_spins && fences_only_forbid(self.model),
            budget: budget.clone(),
            placed,
            leeway: self.leeway(),
            ..self.options.unroll.clone()
        };
        let unrolled = unroll(self.harness, self.question, &self.bounds, &options)
            .map_err(|failure| self.unroll_failure(failure))?;
        if !self.model.ghosts
            && let Some(ghost) = unrolled.events.iter().find(|event| event.is_ghost())
        {
            let what = format!("ghost state on the model {}; it is for sc, tso and pso", self.model.name);
            return Err(self.unroll_failure(Failure::Unsupported(what, ghost.span)));
        }
        self.loops = unrolled.loops.clone();
        self.threads = unrolled.threads.len();
        self.measure(&unrolled);
        self.still_going()?;
        let ranges = range::analyse(&self.harness.program, &unrolled, self.options.precision, &budget)
            .map_err(|failure| self.unroll_failure(failure))?;
        self.still_going()?;
        let solver = Box::new(Cadical::new(self.options.order, budget.clone()));
        let settings = Settings { shortcuts: self.options.shortcuts, budget };
        let encoding = encode(&self.harness.program, unrolled, ranges, self.model, solver, settings)?;
        encoding.sound()?;
        self.statistics.encode_time += start.elapsed();
        Ok(encoding)
    }

    /// What the model allows. A thread that may read what it has overwritten may notice its own turns.
    fn leeway(&self) -> unroll::Leeway {
        let leeway = self.options.unroll.leeway;
        let forgets = hides_overwritten(self.model);
        unroll::Leeway { unordered_loads: leeway.unordered_loads || !forgets, ..leeway }
    }

    fn measure(&mut self, unrolled: &Unrolled) {
        let count = |which: fn(&EventKind) -> bool| unrolled.events.iter().filter(|e| which(&e.kind)).count();
        self.statistics.instructions = unrolled.statements;
        self.statistics.loads = count(|kind| matches!(kind, EventKind::Load { .. }));
        self.statistics.stores = count(|kind| matches!(kind, EventKind::Store { .. }));
    }

    /// One round of a check: a finding, or none if bounds had to be raised.
    pub(crate) fn judge(
        &mut self,
        encoding: &mut Encoding,
        specification: Option<&ObservationSet>,
    ) -> Result<Option<Judgement>, Reason> {
        let complete = encoding.complete();
        let bad = self.failure(encoding, complete, specification);
        match self.solve(encoding, Progress::Violation, &[bad], Some(EARLY_CONFLICTS)) {
            Answer::Sat => return Ok(Some(Judgement::violated(encoding, self.model))),
            Answer::Unsat | Answer::Stopped => self.still_going()?,
        }
        if self.raise_bounds(encoding)? {
            return Ok(None);
        }
        match self.solve(encoding, Progress::Violation, &[bad], None) {
            Answer::Sat => return Ok(Some(Judgement::violated(encoding, self.model))),
            Answer::Unsat => {}
            Answer::Stopped => return Err(self.stopped()),
        }
        match self.solve(encoding, Progress::Witness, &[complete], None) {
            Answer::Sat => {
                return Ok(Some(Judgement::holds(decode(encoding).0, true)));
            }
            Answer::Unsat => {}
            Answer::Stopped => return Err(self.stopped()),
        }
        // Nothing ends. What threads do before they wait for ever was still looked at for errors.
        let waits = encoding.waits();
        match self.solve(encoding, Progress::Witness, &[waits], None) {
            Answer::Sat if specification.is_none() => Ok(Some(Judgement::holds(decode(encoding).0, false))),
            Answer::Sat => {
                let why = "no execution completes, since in each of them a call waits for ever";
                Err(Reason::Vacuous(why.into()))
            }
            Answer::Unsat => {
                let why = "no execution completes: in each of them a thread comes to an assumption that does not hold";
                Err(Reason::Vacuous(why.into()))
            }
            Answer::Stopped => Err(self.stopped()),
        }
    }

    /// A literal that asks for an execution that fails.
    pub(crate) fn failure(
        &self,
        encoding: &mut Encoding,
        complete: Lit,
        specification: Option<&ObservationSet>,
    ) -> Lit {
        let faults = encoding.stops(|kind| {
            matches!(
                kind,
                StopKind::Undefined(..)
                    | StopKind::Assert(..)
                    | StopKind::Below(..)
                    | StopKind::Within(..)
                    | StopKind::Address(_)
            )
        });
        let bad = encoding.circuit.var();
        let mut clause = vec![!bad];
        clause.extend(faults.iter().map(|(_, _, fired)| *fired));
        clause.push(encoding.finds_freed());
        clause.extend(encoding.flagged.iter().map(|(_, _, lit)| *lit));
        if let Some(specification) = specification {
            let wrong = encoding.circuit.var();
            encoding.circuit.implies(wrong, complete);
            let words = encoding.observation();
            encoding.exclude(
                Slots { words: &words, pointers: &self.pointers() },
                &specification.sorted(),
                wrong,
            );
            clause.push(wrong);
        }
        encoding.circuit.clause(&clause);
        bad
    }

    /// The bounds that executions may exceed. Those in which an access finds its object freed are violations
    /// at the bounds as they are, and are not asked to go on.
    pub(crate) fn open_bounds(&self, encoding: &mut Encoding) -> Vec<OpenBound> {
        let mut open = Vec::new();
        let sound = !encoding.finds_freed();
        for (thread, index, exceeded) in encoding.stops(|kind| matches!(kind, StopKind::Bound(_))) {
            let stop = &encoding.unrolled.threads[thread].stops[index];
            let (kind, span) = (stop.kind.clone(), stop.span);
            if let StopKind::Bound(instance) = kind {
                let exceeded = encoding.circuit.and(exceeded, sound);
                open.push(OpenBound { exceeded, instance, span });
            }
        }
        open
    }

    /// Looks for executions that exceed bounds and raises those; says whether there were any.
    fn raise_bounds(&mut self, encoding: &mut Encoding) -> Result<bool, Reason> {
        let mut open = self.open_bounds(encoding);
        let mut raised = false;
        while !open.is_empty() {
            let exceed = encoding.circuit.var();
            let lits = open.iter().map(|open| open.exceeded);
            let clause: Vec<Lit> = std::iter::once(!exceed).chain(lits).collect();
            encoding.circuit.clause(&clause);
            match self.solve(encoding, Progress::Bounds, &[exceed], None) {
                Answer::Unsat => break,
                Answer::Stopped => return Err(self.stopped()),
                Answer::Sat => {}
            }
            let solver = &mut encoding.circuit.solver;
            let (exceeded, rest): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|open| solver.value(open.exceeded));
            open = rest;
            for OpenBound { instance, span, .. } in exceeded {
                self.raise(instance, span)?;
                raised = true;
            }
        }
        Ok(raised)
    }

    pub(crate) fn raise(&mut self, instance: unroll::InstancePath, span: Span) -> Result<(), Reason> {
        let Some(info) = self.loops.iter().find(|info| info.instance == instance) else {
            return Err(Reason::Internal("a bound of no loop is exceeded".into()));
        };
        let (recursion, depth) = (info.recursion, info.bound);
        let bound = self.bounds.get(&instance).map_or(2, |bound| bound + 1);
        let reached = if recursion { depth } else { bound };
        if reached > self.options.max_unroll {
            let at = self.harness.program.sources.position(span).to_string();
            self.too_far = Some((instance, span));
            return Err(Reason::Unroll { at, recursion, limit: self.options.max_unroll });
        }
        self.bounds.insert(instance, bound);
        Ok(())
    }

    /// An error if an execution has a runtime error, or exceeds a bound.
    fn without_faults(&mut self, encoding: &mut Encoding) -> Result<(), Reason> {
        if encoding.stops(|kind| !matches!(kind, StopKind::Assume(_))).is_empty() {
            return Ok(());
        }
        let complete = encoding.complete();
        let bad = self.failure(encoding, complete, None);
        match self.solve(encoding, Progress::Violation, &[bad], None) {
            Answer::Sat => {
                let fault = decode(encoding).0.fault();
                let at = |span| self.harness.program.sources.position(span).to_string();
                let what = fault.map(|(_, fault, span)| format!("{}: {fault}", at(span)));
                return Err(Reason::Unsupported(what.unwrap_or_else(|| "a runtime error".into())));
            }
            Answer::Unsat => {}
            Answer::Stopped => return Err(self.stopped()),
        }
        match self.raise_bounds(encoding)? {
            true => Err(Reason::Unsupported("a loop".into())),
            false => Ok(()),
        }
    }

    /// All observations, with more words behind them.
    fn enumerate(&mut self, encoding: &mut Encoding, more: Vec<Rc<Word>>) -> Result<ObservationSet, Reason> {
        let complete = encoding.complete();
        let mut pointers = self.pointers();
        pointers.extend(more.iter().map(|_| false));
        let words = [encoding.observation(), more].concat();
        let mut found = ObservationSet::default();
        loop {
            match self.solve(encoding, Progress::Violation, &[complete], None) {
                Answer::Unsat => return Ok(found),
                Answer::Stopped => return Err(self.stopped()),
                Answer::Sat => {
                    let values: Vec<Value> = words.iter().map(|word| encoding.read(word)).collect();
                    let observation = observe(&pointers, &values, &encoding.new_objects());
                    encoding.exclude_exactly(
                        Slots { words: &words, pointers: &pointers },
                        &observation,
                        complete,
                    );
                    found.insert(observation);
                }
            }
        }
    }

    /// Which slots of observations are pointers.
    fn pointers(&self) -> Vec<bool> {
        match self.question {
            Question::Test(test) => observation::pointers(self.harness, test),
            Question::Client(_) | Question::Main(_) => Vec::new(),
        }
    }

    pub(crate) fn solve(
        &mut self,
        encoding: &mut Encoding,
        phase: fn(u32) -> Progress,
        assumptions: &[Lit],
        conflicts: Option<u32>,
    ) -> Answer {
        (self.progress)(phase(self.statistics.rounds));
        let start = Instant::now();
        let Circuit { variables, clauses, .. } = encoding.circuit;
        let span = tracing::info_span!("solve", ?phase, variables, clauses, answer = Empty).entered();
        let answer = encoding.circuit.solver.solve_within(assumptions, conflicts);
        span.record("answer", tracing::field::debug(answer));
        self.statistics.solve_time += start.elapsed();
        answer
    }

    pub(crate) fn still_going(&self) -> Result<(), Reason> {
        match self.options.budget.exhausted() {
            None => Ok(()),
            Some(_) => Err(self.stopped()),
        }
    }

    pub(crate) fn stopped(&self) -> Reason {
        match self.options.budget.exhausted() {
            Some(exhausted) => exhausted.into(),
            None => Reason::Timeout,
        }
    }

    fn unroll_failure(&self, failure: Failure) -> Reason {
        let at = |span| self.harness.program.sources.position(span).to_string();
        match failure {
            Failure::TooLong(span) => {
                Reason::TooLong { at: at(span), limit: self.options.unroll.max_statements }
            }
            Failure::Unsupported(what, span) => Reason::Unsupported(format!("{}: {what}", at(span))),
            Failure::Exhausted(exhausted) => exhausted.into(),
        }
    }
}
