//! Verification: abstract, look for a violation, try it on real buffers, refine.
//!
//! `Holds` means that no execution fails, of any length and with buffers of any size. `Violated` comes with
//! an execution on real buffers. All else is inconclusive.

use super::Abstraction;
use super::concrete::concretize;
use super::search::{End, search};
use crate::code::Code;
use crate::code::driver::{self, Subject};
use crate::options::Options;
use crate::outcome::{Statistics, Verdict, Violation};
use crate::reduce::footprint::Footprint;
use crate::search::trace;
use crate::step::expand::Step;
use crate::step::machine::Machine;
use fencepost_harness::operation::Harness;
use fencepost_harness::verdict::Reason;
use fencepost_models::Buffering;
use std::time::Instant;

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
    pub verdict: Verdict,
    /// The searches it took. The last one decided.
    pub searches: Vec<Proof>,
    /// The most threads that were there at the same time.
    pub threads: usize,
}

impl Verification {
    /// The search that decided; none only if a limit was reached before the first.
    pub fn decisive(&self) -> Option<&Proof> {
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

/// Verifies a subject. Of the options, the abstraction is chosen by the approach.
pub fn verify(
    harness: &Harness,
    subject: Subject,
    options: &Options,
    approach: Approach,
    progress: &dyn Fn(&Statistics),
) -> Verification {
    let code = driver::compile(harness, subject, false);
    let mut verifier = Verifier { code: &code, harness, options, progress, searches: Vec::new(), threads: 0 };
    let verdict = match (options.buffering, approach) {
        (Buffering::Sc, _) | (_, Approach::Fixed(Abstraction::Exact)) => verifier.exactly(),
        (_, Approach::Fixed(abstraction)) => verifier.abstractly(abstraction),
        (_, Approach::Refine) => verifier.refine(),
    };
    let Verifier { searches, threads, .. } = verifier;
    Verification { verdict, searches, threads }
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
    fn exactly(&mut self) -> Verdict {
        let exact =
            Options { abstraction: Abstraction::Exact, waits_when_full: true, ..self.options.clone() };
        match self.search(&exact) {
            Found::Safe if self.bound().is_some() => {
                let limit = self.options.buffer;
                Verdict::Inconclusive(Reason::Abstraction(format!(
                    "none is found while threads have at most {limit} stores under way, and they may have more; try --abstraction auto"
                )))
            }
            Found::Safe => Verdict::Holds,
            Found::Fault(steps, footprint) => self.violated(&exact, &footprint, &steps),
            Found::Stopped(reason) => Verdict::Inconclusive(reason),
        }
    }

    /// The bound that the last search ran into.
    fn bound(&self) -> Option<usize> {
        self.searches.last().and_then(|proof| proof.bound)
    }

    fn violated(&self, options: &Options, footprint: &Footprint, steps: &[Step]) -> Verdict {
        match trace::record(self.code, self.harness, options, footprint, steps, false) {
            Ok(trace) => Verdict::Violated { violation: Violation::Fault, trace: Box::new(trace) },
            Err(reason) => Verdict::Inconclusive(reason),
        }
    }

    /// One abstraction.
    fn abstractly(&mut self, abstraction: Abstraction) -> Verdict {
        match self.attempt(abstraction, false) {
            Ok(verdict) => verdict,
            Err(()) => {
                let what = format!(
                    "{abstraction} has one that was not found with real store buffers; a finer abstraction may prove the program"
                );
                Verdict::Inconclusive(Reason::Abstraction(what))
            }
        }
    }

    /// One abstraction after the other.
    fn refine(&mut self) -> Verdict {
        for k in 0..=LONGEST_HEAD {
            if let Ok(verdict) = self.attempt(Abstraction::FullyDisjunctive(k), true) {
                return verdict;
            }
        }
        let what = format!(
            "fd:0 to fd:{LONGEST_HEAD} have some that were not found with real store buffers; try fd:{} or more",
            LONGEST_HEAD + 1
        );
        Verdict::Inconclusive(Reason::Abstraction(what))
    }

    /// Tries an abstraction; fails if it has a violation that is not seen to be real. `otherwise` says whether
    /// another way to prove the program will do as well: that its buffers stay short.
    fn attempt(&mut self, abstraction: Abstraction, otherwise: bool) -> Result<Verdict, ()> {
        let (steps, footprint) = match self.search(&Options { abstraction, ..self.options.clone() }) {
            Found::Safe => return Ok(Verdict::Holds),
            Found::Stopped(reason) => return Ok(Verdict::Inconclusive(reason)),
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
            Found::Safe if otherwise && self.bound().is_none() => Ok(Verdict::Holds),
            Found::Stopped(reason @ (Reason::Interrupted | Reason::Timeout)) => {
                Ok(Verdict::Inconclusive(reason))
            }
            Found::Safe | Found::Stopped(_) => Err(()),
        }
    }
}

fn has_assertions(code: &Code) -> bool {
    code.instrs.iter().any(|instr| matches!(instr, crate::code::Instr::Assert { .. }))
}
