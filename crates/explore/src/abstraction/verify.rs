//! Verification: abstract, look for a violation, try it on real buffers, refine.
//!
//! `Holds` means that no execution fails, of any length and with buffers of any size. `Violated` comes with
//! an execution on real buffers. All else is inconclusive.

use super::Abstraction;
use super::concrete::concretize;
use super::search::{End, search};
use crate::code::Code;
use crate::code::driver;
use crate::options::Options;
use crate::outcome::Statistics;
use crate::reduce::footprint::Footprint;
use crate::search::trace;
use crate::step::expand::Step;
use crate::step::machine::Machine;
use crate::unsupported;
use fencepost_harness::engine::{Engine, Finding, Outcome, Progress, Task};
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::result::{self, Scope, Visited, Wrong};
use fencepost_harness::verdict::Reason;
use fencepost_models::Buffering;
use std::time::Instant;
use tracing::field::Empty;

/// Which abstractions are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Approach {
    /// Fully disjunctive ones, with longer and longer heads.
    Refine,
    /// Just this one.
    Fixed(Abstraction),
}

/// A search that was made.
#[derive(Clone, PartialEq, Debug)]
pub struct Proof {
    /// How buffers were represented.
    pub abstraction: Abstraction,
    /// For exact buffers: the most stores that a thread could have under way, if it ever had to wait for
    /// that. Then not all executions were looked at.
    pub bound: Option<usize>,
    /// Whether it saw a violation.
    pub violated: bool,
    /// Figures.
    pub statistics: Statistics,
}

/// The outcome of a verification.
#[derive(Clone, Debug)]
pub struct Verification {
    /// The answer.
    pub finding: Finding,
    /// The searches it took. The last one decided.
    pub searches: Vec<Proof>,
    /// The most threads that were there at the same time.
    pub threads: usize,
}

impl Verification {
    /// The search that decided; none only if a limit was reached before the first.
    pub(crate) fn decisive(&self) -> Option<&Proof> {
        self.searches.last()
    }
}

/// The longest head that refinement tries.
const LONGEST_HEAD: usize = 4;
/// States of a search on real buffers, for each state of the abstract search that it follows, and at least.
const EXACT_SHARE: u64 = 4;
const EXACT_LEAST: u64 = 30_000;
/// Stores that a thread may have under way where no bound is meant.
const UNBOUNDED: usize = 4096;

/// The engine: proves without bounds, for closed programs.
#[derive(Clone, Debug)]
pub struct Unbounded {
    /// How to explore; machine, time and memory are those of the task.
    pub options: Options,
    /// Which abstractions are tried.
    pub approach: Approach,
}

impl Unbounded {
    /// Verifies, and says by which searches.
    pub fn verify(&self, task: &Task, progress: &dyn Fn(Progress)) -> (Outcome, Vec<Proof>) {
        let Some(buffering) = task.model.buffering else {
            return (unsupported(format!("verification on {}", task.model.name)), Vec::new());
        };
        let budget = task.budget.clone();
        let options = Options { buffering, reuse: task.reuse, budget, ..self.options.clone() };
        let report = |statistics: &Statistics| progress(Progress::States(statistics.states));
        let found = verify(task.harness, task.question, &options, self.approach, &report);
        let visited = found.decisive().map(|proof| Visited {
            abstraction: proof.abstraction.to_string(),
            states: proof.statistics.states,
            transitions: proof.statistics.transitions,
            preemptions: None,
        });
        let outcome = Outcome {
            finding: found.finding,
            witness: None,
            ends: true,
            stuck: false,
            scope: Scope { threads: found.threads, visited, ..Scope::default() },
            statistics: result::Statistics::default(),
        };
        (outcome, found.searches)
    }
}

impl Engine for Unbounded {
    fn decide(&self, task: &Task, progress: &dyn Fn(Progress)) -> Outcome {
        self.verify(task, progress).0
    }

    /// Abstract states are no executions.
    fn shows(&self) -> bool {
        false
    }
}

/// Verifies what is asked about. Of the options, the abstraction is chosen by the approach.
pub fn verify(
    harness: &Harness,
    question: &Question,
    options: &Options,
    approach: Approach,
    progress: &dyn Fn(&Statistics),
) -> Verification {
    let code = driver::compile(harness, question, false);
    let mut verifier = Verifier { code: &code, harness, options, progress, searches: Vec::new(), threads: 0 };
    let verdict = match (options.buffering, approach) {
        (Buffering::Sc, _) | (_, Approach::Fixed(Abstraction::Exact)) => verifier.exactly(),
        (_, Approach::Fixed(abstraction)) => verifier.abstractly(abstraction),
        (_, Approach::Refine) => verifier.refine(),
    };
    let Verifier { searches, threads, .. } = verifier;
    Verification { finding: verdict, searches, threads }
}

struct Verifier<'a> {
    code: &'a Code,
    harness: &'a Harness,
    options: &'a Options,
    progress: &'a dyn Fn(&Statistics),
    searches: Vec<Proof>,
    threads: usize,
}

/// What a search says.
enum Found {
    /// No violation, among all executions or those within the bound.
    Safe,
    /// These steps fail, given what is known of shared cells.
    Fault(Vec<Step>, Footprint),
    Stopped(Reason),
}

impl Verifier<'_> {
    /// Searches with these options, anew until nothing is learned about shared cells.
    fn search(&mut self, options: &Options) -> Found {
        let begun = Instant::now();
        let span =
            tracing::info_span!("explore", abstraction = %options.abstraction, states = Empty).entered();
        let mut footprint = Footprint::new(Machine::classes(&self.harness.program, self.code), Vec::new());
        let mut statistics = Statistics::default();
        loop {
            let mut machine = Machine::new(self.code, &self.harness.program, options, footprint, None);
            machine.alike.renames = false;
            let end = search(&mut machine, &mut statistics, self.progress);
            if matches!(end, End::Restart) {
                footprint = machine.footprint.renewed();
                statistics.restarts += 1;
                continue;
            }
            statistics.time = begun.elapsed();
            span.record("states", statistics.states);
            self.threads = self.threads.max(machine.pools.most_threads());
            let exact = options.abstraction == Abstraction::Exact;
            self.searches.push(Proof {
                abstraction: options.abstraction,
                bound: (exact && machine.notes.waited).then_some(options.buffer),
                violated: matches!(end, End::Fault(_)),
                statistics,
            });
            return match end {
                End::Safe if !machine.notes.asserted && has_assertions(self.code) => {
                    Found::Stopped(Reason::Vacuous("no execution comes to an assertion".into()))
                }
                End::Safe => Found::Safe,
                End::Restart => {
                    Found::Stopped(Reason::Internal("a search that should have begun anew".into()))
                }
                End::Fault(steps) => Found::Fault(steps, machine.footprint.clone()),
                End::Stopped(reason) => Found::Stopped(reason),
            };
        }
    }

    /// All executions, with real buffers.
    fn exactly(&mut self) -> Finding {
        let exact =
            Options { abstraction: Abstraction::Exact, waits_when_full: true, ..self.options.clone() };
        match self.search(&exact) {
            Found::Safe if self.bound().is_some() => {
                let limit = self.options.buffer;
                Finding::Inconclusive(Reason::Abstraction(format!(
                    "none is found while threads have at most {limit} stores under way, and they may have more; try --abstraction auto"
                )))
            }
            Found::Safe => Finding::Holds,
            Found::Fault(steps, footprint) => self.violated(&exact, &footprint, &steps),
            Found::Stopped(reason) => Finding::Inconclusive(reason),
        }
    }

    /// The bound that the last search ran into.
    fn bound(&self) -> Option<usize> {
        self.searches.last().and_then(|proof| proof.bound)
    }

    fn violated(&self, options: &Options, footprint: &Footprint, steps: &[Step]) -> Finding {
        match trace::record(self.code, self.harness, options, footprint, steps, false) {
            Ok(trace) => Finding::Violated { wrong: Wrong::Fault, trace: Box::new(trace) },
            Err(reason) => Finding::Inconclusive(reason),
        }
    }

    /// One abstraction.
    fn abstractly(&mut self, abstraction: Abstraction) -> Finding {
        match self.attempt(abstraction, false) {
            Ok(verdict) => verdict,
            Err(()) => {
                let what = format!(
                    "{abstraction} has one that was not found with real store buffers; a finer abstraction may prove the program"
                );
                Finding::Inconclusive(Reason::Abstraction(what))
            }
        }
    }

    /// One abstraction after the other.
    fn refine(&mut self) -> Finding {
        for k in 0..=LONGEST_HEAD {
            if let Ok(verdict) = self.attempt(Abstraction::FullyDisjunctive(k), true) {
                return verdict;
            }
        }
        let what = format!(
            "fd:0 to fd:{LONGEST_HEAD} have some that were not found with real store buffers; try fd:{} or more",
            LONGEST_HEAD + 1
        );
        Finding::Inconclusive(Reason::Abstraction(what))
    }

    /// Tries an abstraction; fails if it has a violation that is not seen to be real. `otherwise` says whether
    /// another way to prove the program will do as well: that its buffers stay short.
    fn attempt(&mut self, abstraction: Abstraction, otherwise: bool) -> Result<Finding, ()> {
        let (steps, footprint) = match self.search(&Options { abstraction, ..self.options.clone() }) {
            Found::Safe => return Ok(Finding::Holds),
            Found::Stopped(reason) => return Ok(Finding::Inconclusive(reason)),
            Found::Fault(steps, footprint) => (steps, footprint),
        };
        let unbounded =
            Options { abstraction: Abstraction::Exact, buffer: UNBOUNDED, ..self.options.clone() };
        let real = concretize(self.code, &self.harness.program, &unbounded, &footprint, &steps);
        if let Some(steps) = real {
            return Ok(self.violated(&unbounded, &footprint, &steps));
        }
        // The same steps do not fail on real buffers; others may, on short ones.
        let visited = self.searches.last().map_or(0, |proof| proof.statistics.states);
        let mut short = Options {
            abstraction: Abstraction::Exact,
            buffer: abstraction.head() + 2,
            waits_when_full: true,
            ..self.options.clone()
        };
        let share = (EXACT_SHARE * visited).max(EXACT_LEAST);
        short.budget.states = Some(short.budget.states.map_or(share, |limit| limit.min(share)));
        match self.search(&short) {
            Found::Fault(steps, footprint) => Ok(self.violated(&short, &footprint, &steps)),
            Found::Safe if otherwise && self.bound().is_none() => Ok(Finding::Holds),
            Found::Stopped(reason @ (Reason::Interrupted | Reason::Timeout)) => {
                Ok(Finding::Inconclusive(reason))
            }
            Found::Safe | Found::Stopped(_) => Err(()),
        }
    }
}

fn has_assertions(code: &Code) -> bool {
    code.instrs.iter().any(|instr| matches!(instr, crate::code::Instr::Assert { .. }))
}
