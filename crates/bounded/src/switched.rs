//! The check of one test with fences that can be switched on and off: one formula, asked again and again
//! under assumptions on the switches.
//!
//! A fence at a slot is executed only where its switch is on ([`crate::unroll::Options::fences`]). Which
//! fences are there is then an assumption, and what the solver learnt about one placement serves for the
//! next. The formula is made anew only when a placement lets a loop repeat more often than any before it.
//!
//! From a placement that fails follows what every placement that does not fail must contain: the switches
//! are turned on one after the other as long as the failure stays possible; one of those that remain off
//! is needed. That holds where fences only forbid, as they do on all models that ship; see
//! [`fences_only_forbid`].

use crate::check::{Checker, EARLY_CONFLICTS, Options, Phase};
use crate::circuit::Lit;
use crate::encode::Encoding;
use crate::solver::Answer;
use crate::unroll::{Subject, Switch};
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Harness;
use fencepost_harness::result::Statistics;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::source::Span;
use fencepost_models::cat::{Model, Relation};
use std::collections::BTreeSet;

/// Switches that are on.
pub type Placement = BTreeSet<Switch>;

/// What a placement leads to. Executions are not shown: those of a placement that matters are found again
/// in a program that has its fences, and replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// Every execution is right.
    Holds,
    /// An execution is wrong.
    Violated,
    /// A loop or recursion can exceed the largest bound allowed, so nothing is known.
    Unbounded(Span),
}

/// A test on a model, with switches.
pub struct Switched<'a> {
    checker: Checker<'a>,
    specification: Option<&'a ObservationSet>,
    ready: Option<Ready<'a>>,
    /// What was possible with the last placement that was asked about.
    last: Option<Failure>,
}

/// The formula at the bounds reached.
struct Ready<'a> {
    encoding: Encoding<'a>,
    /// Asks for an execution that fails.
    bad: Lit,
}

/// A failure that a placement allows.
struct Failure {
    /// Asks for it.
    goal: Lit,
    on: Placement,
}

impl<'a> Switched<'a> {
    /// A check that has not begun. The options name the fences.
    pub fn new(
        harness: &'a Harness,
        subject: Subject<'a>,
        model: &'a Model,
        specification: Option<&'a ObservationSet>,
        options: &'a Options,
        progress: &'a dyn Fn(Phase, u32),
    ) -> Switched<'a> {
        let checker = Checker::new(harness, subject, model, options, progress);
        Switched { checker, specification, ready: None, last: None }
    }

    /// Figures so far.
    pub fn statistics(&self) -> &Statistics {
        &self.checker.statistics
    }

    /// The switches that the test meets.
    pub fn switches(&mut self) -> Result<Placement, Reason> {
        Ok(self.ready()?.encoding.switches.keys().copied().collect())
    }

    fn ready(&mut self) -> Result<&mut Ready<'a>, Reason> {
        if self.ready.is_none() {
            self.checker.statistics.rounds += 1;
            let mut encoding = self.checker.encode()?;
            let complete = encoding.complete();
            let bad = self.checker.failure(&mut encoding, complete, self.specification);
            self.ready = Some(Ready { encoding, bad });
        }
        Ok(self.ready.as_mut().expect("made above"))
    }

    /// Checks every execution with these fences and no others.
    pub fn check(&mut self, on: &Placement) -> Result<Finding, Reason> {
        self.last = None;
        loop {
            let bad = self.ready()?.bad;
            if self.is_violated(bad, on, Some(EARLY_CONFLICTS))? {
                return Ok(Finding::Violated);
            }
            match self.raise_bounds(on)? {
                Raised::No => {}
                Raised::Yes => {
                    self.ready = None;
                    continue;
                }
                Raised::TooFar(span) => return Ok(Finding::Unbounded(span)),
            }
            return Ok(match self.is_violated(bad, on, None)? {
                true => Finding::Violated,
                false => Finding::Holds,
            });
        }
    }

    /// Looks for an execution that fails with just these fences.
    fn is_violated(&mut self, bad: Lit, on: &Placement, conflicts: Option<u32>) -> Result<bool, Reason> {
        match self.solve(Phase::Violation, &[bad], on, true, conflicts)? {
            Answer::Sat => {
                self.last = Some(Failure { goal: bad, on: on.clone() });
                Ok(true)
            }
            Answer::Stopped if conflicts.is_none() => Err(self.checker.stopped()),
            Answer::Unsat | Answer::Stopped => {
                self.checker.still_going()?;
                Ok(false)
            }
        }
    }

    /// Whether a failure of the kind found last is possible with these fences on, whatever others are.
    /// Bounds stay as they are: a no says nothing about larger ones.
    pub fn still_fails(&mut self, on: &Placement) -> Result<bool, Reason> {
        let goal = match &self.last {
            Some(last) => last.goal,
            None => self.ready()?.bad,
        };
        match self.solve(Phase::Violation, &[goal], on, false, None)? {
            Answer::Stopped => Err(self.checker.stopped()),
            Answer::Unsat => Ok(false),
            Answer::Sat => {
                let on = self.on_in_solution()?;
                self.last = Some(Failure { goal, on });
                Ok(true)
            }
        }
    }

    /// After a failure: switches of which every placement without such failures has one on. As few as
    /// can be: with the others on, turning on any of these rules out the failure.
    pub fn correction(&mut self) -> Result<Placement, Reason> {
        let Some(Failure { goal, mut on }) = self.last.take() else {
            return Err(Reason::Internal("a correction of nothing is asked for".into()));
        };
        let all = self.switches()?;
        on.retain(|switch| all.contains(switch));
        loop {
            let off: Vec<Switch> = all.difference(&on).copied().collect();
            if off.is_empty() {
                break;
            }
            let circuit_lits: Vec<Lit> = {
                let encoding = &self.ready()?.encoding;
                off.iter().map(|switch| encoding.switches[switch]).collect()
            };
            let circuit = &mut self.ready()?.encoding.circuit;
            let more = circuit.var();
            circuit.clause(&[&[!more], &circuit_lits[..]].concat());
            let answer = self.solve(Phase::Violation, &[goal, more], &on, false, None)?;
            // The clause has served.
            let solution = if answer == Answer::Sat { Some(self.on_in_solution()?) } else { None };
            self.ready()?.encoding.circuit.clause(&[!more]);
            match solution {
                Some(solution) => on = solution,
                None if answer == Answer::Stopped => return Err(self.checker.stopped()),
                None => break,
            }
        }
        let off = all.difference(&on).copied().collect();
        self.last = Some(Failure { goal, on });
        Ok(off)
    }

    fn on_in_solution(&mut self) -> Result<Placement, Reason> {
        let encoding = &mut self.ready()?.encoding;
        let solver = &mut encoding.circuit.solver;
        let switches = encoding.switches.iter();
        Ok(switches.filter(|(_, lit)| solver.value(**lit)).map(|(switch, _)| *switch).collect())
    }

    /// Solves with some switches on and, if that is `exact`, all others off.
    fn solve(
        &mut self,
        phase: Phase,
        wanted: &[Lit],
        on: &Placement,
        exact: bool,
        conflicts: Option<u32>,
    ) -> Result<Answer, Reason> {
        self.ready()?;
        let ready = self.ready.as_mut().expect("made above");
        // In a fixed order: the solver's answers depend on it.
        let mut switches: Vec<(Switch, Lit)> =
            ready.encoding.switches.iter().map(|(switch, lit)| (*switch, *lit)).collect();
        switches.sort();
        let mut assumptions = wanted.to_vec();
        for (switch, lit) in switches {
            match on.contains(&switch) {
                true => assumptions.push(lit),
                false if exact => assumptions.push(!lit),
                false => {}
            }
        }
        Ok(self.checker.solve(&mut ready.encoding, phase, &assumptions, conflicts))
    }

    /// Looks for executions with just these fences that exceed bounds, and raises those.
    fn raise_bounds(&mut self, on: &Placement) -> Result<Raised, Reason> {
        self.ready()?;
        let ready = self.ready.as_mut().expect("made above");
        let mut open = self.checker.open_bounds(&mut ready.encoding);
        let mut raised = Raised::No;
        while !open.is_empty() {
            let encoding = &mut self.ready()?.encoding;
            let exceed = encoding.circuit.var();
            let lits = open.iter().map(|open| open.exceeded);
            let clause: Vec<Lit> = std::iter::once(!exceed).chain(lits).collect();
            encoding.circuit.clause(&clause);
            match self.solve(Phase::Bounds, &[exceed], on, true, None)? {
                Answer::Unsat => break,
                Answer::Stopped => return Err(self.checker.stopped()),
                Answer::Sat => {}
            }
            let solver = &mut self.ready()?.encoding.circuit.solver;
            let (exceeded, rest): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|open| solver.value(open.exceeded));
            open = rest;
            for bound in exceeded {
                match self.checker.raise(bound.instance, bound.span) {
                    Ok(()) => raised = Raised::Yes,
                    Err(Reason::Unroll { .. }) => {
                        self.last = Some(Failure { goal: bound.exceeded, on: on.clone() });
                        return Ok(Raised::TooFar(bound.span));
                    }
                    Err(reason) => return Err(reason),
                }
            }
        }
        Ok(raised)
    }
}

/// Whether bounds were raised.
enum Raised {
    No,
    Yes,
    /// This loop would exceed what is allowed.
    TooFar(Span),
}

/// Whether adding a fence to a program can only rule out executions: nothing in the model is taken away
/// because of an event that lies between two others. Where it is not so, a placement that was found is
/// still right, but a cheaper one may have been missed.
pub fn fences_only_forbid(model: &Model) -> bool {
    model.constraints.iter().all(|constraint| grows(&constraint.relation))
}

/// Whether a relation can only grow by further events.
fn grows(relation: &Relation) -> bool {
    match relation {
        Relation::Empty | Relation::Base(_) | Relation::Identity(_) | Relation::Product(..) => true,
        Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Seq(a, b) => grows(a) && grows(b),
        Relation::Diff(a, b) => grows(a) && !passes(b),
        Relation::Inverse(r) | Relation::Optional(r) | Relation::Plus(r) => grows(r),
    }
}

/// Whether a pair can be related by way of a third event.
fn passes(relation: &Relation) -> bool {
    match relation {
        Relation::Empty | Relation::Base(_) | Relation::Identity(_) | Relation::Product(..) => false,
        Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Diff(a, b) => passes(a) || passes(b),
        Relation::Seq(a, b) => {
            let in_place = |r: &Relation| matches!(r, Relation::Identity(_));
            !(in_place(a) || in_place(b)) || passes(a) || passes(b)
        }
        Relation::Inverse(r) | Relation::Optional(r) => passes(r),
        Relation::Plus(_) => true,
    }
}
