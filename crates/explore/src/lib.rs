//! The explicit engine: visits every state that a program can reach, thread by thread and store by store.
//!
//! A [`Question`] is compiled to bytecode; a state is a short sequence of numbers, each of which
//! stands for an interned part: a thread, a store buffer, an object. Only actions that other threads can
//! notice are scheduling points. The machines `sc`, `tso` and `pso` mean what the models of these names do.
//! Nothing is approximated: the set of states is exact, and where a limit ends an exploration, the verdict
//! says so. What COLLECT calls stuck executions (Section 4) needs no annotation: a thread that spins is
//! one that, left alone, comes back to where it was without having changed anything.
//!
//! ```
//! use fencepost_explore::{Buffering, Options, explore};
//! use fencepost_harness::engine::Finding;
//! use fencepost_harness::question::Question;
//!
//! let table = "models tso\nSB x=1; r1=y | y=1; r2=x ? r1=0 r2=0 : yes";
//! let rows = fencepost_reference::litmus::parse(table).unwrap();
//! let (harness, test) = fencepost_reference::lower::lower(&rows[0].program);
//! for (buffering, outcomes) in [(Buffering::Sc, 3), (Buffering::Tso, 4)] {
//!     let options = Options { buffering, ..Options::default() };
//!     let found = explore(&harness, &Question::Test(test.clone()), None, &options, None, &|_| {});
//!     assert_eq!(found.finding, Finding::Holds);
//!     assert_eq!(found.observations.len(), outcomes);
//! }
//! ```
//!
//! Its modules, each of which uses those before it: `code`, what is executed; `state`, what there is; `reduce`, what need
//! not be told apart; `step`, how a state leads to others; `judge`, whether an execution may end so; `search`, which
//! state is next. [`abstraction`] searches the same machine with store buffers of bounded form, [`rlx`] is a machine of
//! its own.
//!
//! Deliberately absent: C, the text of models, and judging of its own counterexamples.

pub mod abstraction;
mod code;
mod judge;
mod options;
mod outcome;
mod reduce;
pub mod rlx;
mod search;
mod state;
mod step;

pub use code::FlowPoint;
pub use fencepost_models::Buffering;
pub use options::{Options, Reductions, Search, Termination};
pub use outcome::{Exploration, Statistics};

use crate::code::driver;
use crate::judge::Judge;
use crate::judge::cycles::{self, Lasso};
use crate::reduce::footprint::Footprint;
use crate::reduce::symmetry;
use crate::search::{End, Explorer, trace};
use crate::step::expand;
use crate::step::machine::Machine;
use fencepost_harness::budget::Budget;
use fencepost_harness::engine::{Engine, Finding, Outcome, Progress, Task};
use fencepost_harness::monitor::Monitor;
use fencepost_harness::observation::ObservationSet;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::result::{self, Scope, Visited, Wrong};
use fencepost_harness::verdict::Reason;
use fencepost_lsl::program::{Stmt, StmtKind};
use fencepost_lsl::source::SourceMap;
use std::time::Instant;
use tracing::field::Empty;

/// The engine: visits every state.
#[derive(Clone, Debug, Default)]
pub struct Explicit {
    /// How to explore; machine, reuse, time and memory are those of the task, the number of states is its own.
    pub options: Options,
}

impl Engine for Explicit {
    fn decide(&self, task: &Task, progress: &dyn Fn(Progress)) -> Outcome {
        let Some(buffering) = task.model.buffering else {
            return unsupported(format!("the explicit engine on {}", task.model.name));
        };
        let budget = Budget { states: self.options.budget.states, ..task.budget.clone() };
        let options = Options { buffering, reuse: task.reuse, budget, ..self.options.clone() };
        let report = |statistics: &Statistics| progress(Progress::States(statistics.states));
        let found = explore(task.harness, task.question, task.specification, &options, None, &report);
        let mut scope = Scope {
            threads: found.witness.as_ref().map_or(0, |trace| trace.threads.len()),
            visited: Some(Visited {
                abstraction: abstraction::Abstraction::Exact.to_string(),
                states: found.statistics.states,
                transitions: found.statistics.transitions,
                preemptions: options.preemptions,
            }),
            ..Scope::default()
        };
        if let Some(bound) = options.preemptions {
            scope.caveats.push(format!("executions with more than {bound} preemptions"));
        }
        Outcome {
            finding: found.finding,
            witness: found.witness,
            ends: !found.statistics.endless,
            stuck: found.statistics.stuck > 0,
            scope,
            statistics: result::Statistics {
                solve_time: found.statistics.time,
                ..result::Statistics::default()
            },
        }
    }
}

/// What an engine says of a task that is not for it.
pub(crate) fn unsupported(what: String) -> Outcome {
    Outcome {
        finding: Finding::Inconclusive(Reason::Unsupported(what)),
        witness: None,
        ends: false,
        stuck: false,
        scope: Scope::default(),
        statistics: result::Statistics::default(),
    }
}

/// Explores what is asked about. Observations of a test must be admitted, if a specification is given. `monitor` watches the calls of a client; `progress` is told how far it is.
pub fn explore(
    harness: &Harness,
    question: &Question,
    specification: Option<&ObservationSet>,
    options: &Options,
    mut monitor: Option<&mut dyn Monitor>,
    progress: &dyn Fn(&Statistics),
) -> Exploration {
    let begun = Instant::now();
    if options.reuse && options.buffering != Buffering::Sc {
        // Taking freed memory writes it, and that would have to go through the buffer.
        let reason = Reason::Unsupported("reuse of freed memory on machines with store buffers".into());
        return Exploration {
            finding: Finding::Inconclusive(reason),
            observations: ObservationSet::default(),
            witness: None,
            statistics: Statistics::default(),
        };
    }
    let code = driver::compile(harness, question, monitor.is_some());
    let closed_program = matches!(question, Question::Main(_));
    let mut judge = Judge::new(closed_program, specification);
    let twins = if options.reductions.symmetry { symmetry::sets(&code.twins) } else { Vec::new() };
    let reduce = tracing::info_span!("reduce", instructions = code.instrs.len());
    let classes = reduce.in_scope(|| Machine::classes(&harness.program, &code));
    let mut footprint = Footprint::new(classes, twins);
    let mut restarts = 0;
    // Whether the program treats all addresses alike, as far as is known.
    let mut alike = true;
    loop {
        // Each round borrows the monitor anew.
        let watching: Option<&mut dyn Monitor> = match &mut monitor {
            Some(monitor) => Some(&mut **monitor),
            None => None,
        };
        let mut machine = Machine::new(&code, &harness.program, options, footprint, watching);
        machine.alike.renames &= alike;
        machine.alike.symmetric &= alike;
        let mut explorer = Explorer::new(&mut machine, &mut judge, progress);
        let span = tracing::info_span!("explore", restarts, states = Empty, transitions = Empty).entered();
        let end = explorer.explore();
        span.record("states", explorer.statistics.states)
            .record("transitions", explorer.statistics.transitions);
        drop(span);
        let Explorer { mut statistics, mut witness, waiting, .. } = explorer;
        alike &= machine.alike.holds;
        let betrayed = !machine.alike.holds || machine.footprint.betrayed();
        if betrayed {
            // States were merged that may differ: nothing that was found since counts.
            judge = Judge::new(closed_program, specification);
        }
        if matches!(end, End::Restart) || betrayed {
            footprint = machine.footprint.renewed();
            restarts += 1;
            continue;
        }
        let mut end = end;
        if let (End::Done, Some(fairness)) = (&end, options.termination.wants()) {
            match cycles::endless(&mut machine, fairness) {
                Ok(Some(Lasso { steps, stem })) => {
                    end = End::Violated(
                        Wrong::Endless { stem, steps: steps.len(), repeats: Vec::new() },
                        steps,
                    );
                }
                Ok(None) => {}
                Err(reason) => end = End::Stopped(reason),
            }
        }
        // Every state of a closed program was looked at, also if no execution ends. Where assumptions of the user's may
        // be what keeps them from it, that would be no proof of anything.
        if matches!(end, End::Done) && witness.is_none() && closed(harness, question) {
            witness = waiting;
            if witness.is_none() {
                match cycles::endless(&mut machine, cycles::Fairness::Weak) {
                    Ok(lasso) => witness = lasso.map(|lasso| lasso.steps),
                    Err(reason) => end = End::Stopped(reason),
                }
            }
            statistics.endless = witness.is_some();
        }
        let known = machine.footprint.clone();
        drop(machine);
        let trace =
            |steps: &[expand::Step], rests| trace::record(&code, harness, options, &known, steps, rests);
        let mut finding = match end {
            End::Violated(Wrong::Endless { stem, steps: count, .. }, steps) => {
                match trace::record_circle(&code, harness, options, &known, &steps, stem) {
                    Ok((trace, repeats)) => Finding::Violated {
                        wrong: Wrong::Endless { stem, steps: count, repeats },
                        trace: Box::new(trace),
                    },
                    Err(reason) => Finding::Inconclusive(reason),
                }
            }
            End::Violated(wrong, steps) => match trace(&steps, matches!(wrong, Wrong::Stuck(_))) {
                Ok(trace) => Finding::Violated { wrong, trace: Box::new(trace) },
                Err(reason) => Finding::Inconclusive(reason),
            },
            End::Stopped(reason) => Finding::Inconclusive(reason),
            End::Done if witness.is_none() => {
                let why = "no execution completes: every one of them waits or runs for ever, ends the program during a call, or is ruled \
                           out by an assumption";
                Finding::Inconclusive(Reason::Vacuous(why.into()))
            }
            End::Done => Finding::Holds,
            End::Restart => {
                Finding::Inconclusive(Reason::Internal("an exploration that should have begun anew".into()))
            }
        };
        statistics.restarts = restarts;
        statistics.time = begun.elapsed();
        let witness = witness.map(|steps| trace(&steps, true)).transpose().unwrap_or_else(|reason| {
            if finding == Finding::Holds {
                finding = Finding::Inconclusive(reason);
            }
            None
        });
        let witness = witness.map(Box::new);
        return Exploration { finding, observations: judge.observations, witness, statistics };
    }
}

/// Whether it is a closed program in which the user assumes nothing.
fn closed(harness: &Harness, question: &Question) -> bool {
    fn assumes(sources: &SourceMap, body: &[Stmt]) -> bool {
        body.iter().any(|stmt| match &stmt.kind {
            StmtKind::Assume { .. } => sources.is_user(stmt.span),
            StmtKind::Block { body, .. } | StmtKind::Atomic(body) => assumes(sources, body),
            _ => false,
        })
    }
    let program = &harness.program;
    matches!(question, Question::Main(_))
        && !program.procs.iter().any(|proc| assumes(&program.sources, &proc.body))
}
