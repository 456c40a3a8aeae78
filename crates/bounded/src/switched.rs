//! The check of one test with fences that can be switched on and off: one formula, asked again and again
//! under assumptions on the switches.
//!
//! A fence at a slot is executed only where its switch is on ([`crate::unroll::Unrolling::fences`]). A placement that
//! fails says something about those that do not: further switches are turned on as long as the failure stays
//! possible; every placement without the failure needs one of those that remain off. That holds where fences only
//! forbid, as they do on all models that ship; see [`fences_only_forbid`].
//!
//! That a placement does not fail is asked of the program with just its fences: a proof is far shorter
//! where fences that are off are not there at all. Both formulae unroll alike, so that bounds which one finds
//! too small are raised for the other, too; where loops become long, the one with switches is left as it is.

use crate::check::{Checker, EARLY_CONFLICTS, Options};
use crate::circuit::Lit;
use crate::encode::Encoding;
use crate::solver::Answer;
use crate::unroll::{Bounds, InstancePath};
use fencepost_harness::engine::{Finding, Progress};
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::result::Statistics;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{Placement, Switch};
use fencepost_lsl::source::Span;
use fencepost_models::cat::{Model, Relation, Set};

/// Conflicts to spend on turning on further switches.
const PATIENCE: u32 = 5_000;

/// Repetitions of a loop beyond which the formula with switches is not made.
const LONG: u32 = 3;

/// How often to ask about a set of fences when a correction set is found by halves.
const QUESTIONS: u32 = 48;

/// What a placement leads to. Executions are not shown: those of a placement that matters are found again
/// in a program that has its fences, and replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tried {
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
    /// The bounds it was made at. What fails within them fails, also when others were raised since.
    bounds: Bounds,
}

/// A failure that a placement allows.
struct Failure {
    goal: Goal,
    on: Placement,
}

/// What kind of failure.
#[derive(Clone)]
enum Goal {
    /// What this literal of the formula with switches asks for.
    Switched(Lit),
    /// An execution that fails, in the program that has just the fences of a placement.
    Violation,
    /// An execution that exceeds the bound of this loop, in such a program.
    Loop(InstancePath),
}

impl<'a> Switched<'a> {
    /// A check that has not begun. The options name the fences.
    pub fn new(
        harness: &'a Harness,
        question: &'a Question,
        model: &'a Model,
        specification: Option<&'a ObservationSet>,
        options: &'a Options,
        progress: &'a dyn Fn(Progress),
    ) -> Switched<'a> {
        let checker = Checker::new(harness, question, model, options, progress);
        Switched { checker, specification, ready: None, last: None }
    }

    /// Figures so far.
    pub fn statistics(&self) -> &Statistics {
        &self.checker.statistics
    }

    fn ready(&mut self) -> Result<&mut Ready<'a>, Reason> {
        if self.ready.is_none() {
            self.checker.statistics.rounds += 1;
            let mut encoding = self.checker.encode()?;
            let complete = encoding.complete();
            let bad = self.checker.failure(&mut encoding, complete, self.specification);
            self.ready = Some(Ready { encoding, bad, bounds: self.checker.bounds.clone() });
        }
        Ok(self.ready.as_mut().expect("made above"))
    }

    /// Checks every execution with these fences and no others.
    pub fn check(&mut self, on: &Placement) -> Result<Tried, Reason> {
        self.last = None;
        let bad = self.ready()?.bad;
        if self.is_violated(bad, on, Some(EARLY_CONFLICTS))? {
            return Ok(Tried::Violated);
        }
        self.checker.placed = Some(on.clone());
        let finding = self.check_placed();
        self.checker.placed = None;
        match finding? {
            Placed::Holds => Ok(Tried::Holds),
            Placed::Violated => {
                if !self.is_violated_now(on)? {
                    self.last = Some(Failure { goal: Goal::Violation, on: on.clone() });
                }
                Ok(Tried::Violated)
            }
            Placed::TooFar(instance, span) => {
                self.last = Some(Failure { goal: Goal::Loop(instance), on: on.clone() });
                Ok(Tried::Unbounded(span))
            }
        }
    }

    /// Checks the program that has just the fences of a placement.
    fn check_placed(&mut self) -> Result<Placed, Reason> {
        loop {
            self.checker.statistics.rounds += 1;
            let specification = self.specification;
            let judged = self.checker.round(|checker, encoding| checker.judge(encoding, specification));
            let round = judged.map(|judged| judged.map(|judgement| judgement.finding));
            match (round, self.checker.too_far.take()) {
                (Ok(Some(Finding::Violated { .. })), _) => return Ok(Placed::Violated),
                (Ok(Some(Finding::Holds)), _) => return Ok(Placed::Holds),
                (Ok(Some(Finding::Inconclusive(reason))), _) => return Err(reason),
                (Err(Reason::Unroll { .. }), Some((instance, span))) => {
                    return Ok(Placed::TooFar(instance, span));
                }
                (Err(reason), _) => return Err(reason),
                // Bounds were raised.
                (Ok(None), _) => {}
            }
        }
    }

    /// Looks for an execution that fails with just these fences, at bounds raised meanwhile; unless they are
    /// so large that the formula with switches becomes slow.
    fn is_violated_now(&mut self, on: &Placement) -> Result<bool, Reason> {
        let bounds = &self.checker.bounds;
        if bounds.values().any(|bound| *bound > LONG) {
            return Ok(false);
        }
        if self.ready.as_ref().is_some_and(|ready| ready.bounds != *bounds) {
            self.ready = None;
        }
        let bad = self.ready()?.bad;
        self.is_violated(bad, on, Some(PATIENCE))
    }

    /// Looks for an execution that fails with just these fences.
    fn is_violated(&mut self, bad: Lit, on: &Placement, conflicts: Option<u32>) -> Result<bool, Reason> {
        match self.solve(Progress::Violation, &[bad], on, true, conflicts)? {
            Answer::Sat => {
                self.last = Some(Failure { goal: Goal::Switched(bad), on: on.clone() });
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
    /// A no says nothing about larger bounds, and may only mean that the search took long.
    pub fn still_fails(&mut self, on: &Placement) -> Result<bool, Reason> {
        let Some(Failure { goal: Goal::Switched(goal), .. }) = self.last else { return Ok(false) };
        match self.solve(Progress::Violation, &[goal], on, false, Some(PATIENCE))? {
            Answer::Unsat | Answer::Stopped => {
                self.checker.still_going()?;
                Ok(false)
            }
            Answer::Sat => {
                let on = self.on_in_solution()?;
                self.last = Some(Failure { goal: Goal::Switched(goal), on });
                Ok(true)
            }
        }
    }

    /// After a failure: switches of which every placement without such failures has one on. Unless that took
    /// long to find out, they are as few as can be: with the others on, each of these rules out the failure.
    pub fn correction(&mut self) -> Result<Placement, Reason> {
        let Some(Failure { goal, mut on }) = self.last.take() else {
            return Err(Reason::Internal("a correction of nothing is asked for".into()));
        };
        let Goal::Switched(goal) = goal else {
            let all = self.checker.switches()?;
            return self.correction_by_halves(&goal, on, &all);
        };
        let all: Placement = self.ready()?.encoding.switches.keys().copied().collect();
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
            let answer = self.solve(Progress::Violation, &[goal, more], &on, false, Some(PATIENCE))?;
            // The clause has served.
            let solution = if answer == Answer::Sat { Some(self.on_in_solution()?) } else { None };
            self.ready()?.encoding.circuit.clause(&[!more]);
            match solution {
                Some(solution) => on = solution,
                None => {
                    self.checker.still_going()?;
                    break;
                }
            }
        }
        let off = all.difference(&on).copied().collect();
        self.last = Some(Failure { goal: Goal::Switched(goal), on });
        Ok(off)
    }

    /// A correction set without the formula that has switches, which is slow where loops are long: fences are
    /// put in together, and by halves where that rules out the failure. Stops after some questions; what was
    /// not decided then stays in the set.
    fn correction_by_halves(
        &mut self,
        goal: &Goal,
        mut on: Placement,
        all: &Placement,
    ) -> Result<Placement, Reason> {
        let mut rest: Vec<Switch> = all.difference(&on).copied().collect();
        // By kind: mostly, all fences of some kinds make no difference.
        rest.sort_by_key(|switch| (switch.kind, switch.slot));
        let mut needed = Placement::new();
        let mut chunks = vec![rest];
        let mut questions = 0;
        while let Some(chunk) = chunks.pop() {
            if chunk.is_empty() {
                continue;
            }
            let with: Placement = on.iter().chain(&chunk).copied().collect();
            questions += 1;
            if questions <= QUESTIONS && self.is_possible(goal, &with)? {
                on = with;
            } else if chunk.len() == 1 || questions >= QUESTIONS {
                needed.extend(chunk);
            } else {
                let (first, second) = chunk.split_at(chunk.len() / 2);
                chunks.extend([second.to_vec(), first.to_vec()]);
            }
        }
        Ok(needed)
    }

    /// Whether a failure is possible, at the bounds reached, in the program that has just these fences. A no
    /// may only mean that the search took long.
    fn is_possible(&mut self, goal: &Goal, on: &Placement) -> Result<bool, Reason> {
        self.checker.placed = Some(on.clone());
        let encoded = self.checker.encode();
        self.checker.placed = None;
        let mut encoding = encoded?;
        let lit = match goal {
            Goal::Loop(instance) => {
                let open = self.checker.open_bounds(&mut encoding);
                let lits = open.iter().filter(|open| open.instance == *instance).map(|open| open.exceeded);
                encoding.circuit.or_all(&lits.collect::<Vec<_>>())
            }
            Goal::Violation | Goal::Switched(_) => {
                let complete = encoding.complete();
                self.checker.failure(&mut encoding, complete, self.specification)
            }
        };
        let answer = self.checker.solve(&mut encoding, Progress::Violation, &[lit], Some(PATIENCE));
        self.checker.still_going()?;
        Ok(answer == Answer::Sat)
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
        phase: fn(u32) -> Progress,
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
}

/// What the program with just the fences of a placement leads to.
enum Placed {
    Holds,
    Violated,
    /// This loop would exceed what is allowed.
    TooFar(InstancePath, Span),
}

/// Whether adding a fence to a program can only rule out executions: nothing in the model is taken away
/// because of an event that lies between two others. Where it is not so, a placement that was found is
/// still right, but a cheaper one may have been missed.
pub fn fences_only_forbid(model: &Model) -> bool {
    model.constraints.iter().all(|constraint| grows(&constraint.relation))
}

/// Whether a relation can only grow by further events.
fn grows(relation: &Relation) -> bool {
    let plain = |set: &Set| !set.any_relation(&mut passes);
    match relation {
        Relation::Empty | Relation::Base(_) | Relation::Variable(..) => true,
        Relation::Identity(set) => plain(set),
        Relation::Product(a, b) => plain(a) && plain(b),
        Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Seq(a, b) => grows(a) && grows(b),
        Relation::Diff(a, b) => grows(a) && !passes(b),
        Relation::Inverse(r) | Relation::Optional(r) | Relation::Plus(r) => grows(r),
        Relation::Recursive(group, _) => group.bodies.iter().all(|body| grows(body)),
    }
}

/// Whether a pair can be related by way of a third event.
fn passes(relation: &Relation) -> bool {
    let through = |set: &Set| set.any_relation(&mut passes);
    match relation {
        Relation::Empty | Relation::Base(_) => false,
        Relation::Identity(set) => through(set),
        Relation::Product(a, b) => through(a) || through(b),
        Relation::Union(a, b) | Relation::Inter(a, b) | Relation::Diff(a, b) => passes(a) || passes(b),
        Relation::Seq(a, b) => {
            let in_place = |r: &Relation| matches!(r, Relation::Identity(_));
            !(in_place(a) || in_place(b)) || passes(a) || passes(b)
        }
        Relation::Inverse(r) | Relation::Optional(r) => passes(r),
        Relation::Plus(_) | Relation::Recursive(..) | Relation::Variable(..) => true,
    }
}
