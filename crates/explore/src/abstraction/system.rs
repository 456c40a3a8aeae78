//! The labelled transition system that fences are inferred from (BLENDER, Section 5).
//!
//! Stores in buffers carry the instruction that made them, their *label*. A step that makes an access while
//! stores are in its thread's buffer *passes* these; a fence on all ways from such a store to the access would
//! prevent the step. Every access that others can notice is a step of its own here: a step that made two
//! could be prevented as a whole where a fence would only come between them.
//!
//! A state that another one covers is left out, and steps to it lead to the other; where a state is covered
//! later, a step that passes nothing leads on to the one that covers it.

use super::Abstraction;
use super::antichain::{Antichain, Join};
use crate::code::driver;
use crate::code::small;
use crate::code::{Code, FlowPoint, Instr};
use crate::options::{Options, Reductions};
use crate::outcome::Statistics;
use crate::reduce::footprint::Footprint;
use crate::step::expand::{Expander, Failure};
use crate::step::machine::Machine;
use crate::step::run::Stop;
use fencepost_harness::operation::Harness;
use fencepost_harness::question::Question;
use fencepost_harness::verdict::Reason;
use fencepost_lsl::source::Span;
use rustc_hash::FxHashMap;
use tracing::field::Empty;

/// An access that is made while stores are in the buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pass {
    /// Its label.
    pub access: u32,
    /// The labels of the stores, ascending; at least one.
    pub stores: Vec<u32>,
}

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Where it begins.
    pub from: u32,
    /// Where it leads.
    pub to: u32,
    /// The number of what it passes, in [`System::passes`].
    pub passes: u32,
}

/// A program as a transition system. State 0 is the first.
#[derive(Clone, Debug)]
pub struct System {
    /// How many states there are, with the error.
    pub states: u32,
    /// The state that all failing steps lead to.
    pub error: u32,
    /// All steps.
    pub transitions: Vec<Transition>,
    /// What steps pass; the first passes nothing.
    pub passes: Vec<Vec<Pass>>,
    /// The code of all threads. Places are slots.
    pub flow: Vec<FlowPoint>,
    /// The statement behind each label.
    pub spans: Vec<Span>,
    /// Figures.
    pub statistics: Statistics,
}

/// Builds the system of a subject with the abstraction that the options name.
pub fn system(
    harness: &Harness,
    question: &Question,
    options: &Options,
    progress: &dyn Fn(&Statistics),
) -> Result<System, Reason> {
    if options.abstraction == Abstraction::Exact {
        return Err(Reason::Unsupported("to infer fences from exact store buffers".into()));
    }
    let span = tracing::info_span!("explore", abstraction = %options.abstraction, states = Empty).entered();
    let code = driver::compile(harness, question, false);
    let flow = flow(&code)?;
    let reductions = Reductions { remember: false, ..options.reductions };
    let options = Options { labelled: true, reductions, ..options.clone() };
    let mut footprint = Footprint::new(Machine::classes(&harness.program, &code), Vec::new());
    loop {
        let mut machine = Machine::new(&code, &harness.program, &options, footprint, None);
        machine.alike.renames = false;
        let mut builder = Builder::default();
        if builder.build(&mut machine, progress)? {
            let error = small(machine.pools.states.len());
            let mut transitions = builder.transitions;
            transitions.iter_mut().filter(|t| t.to == ERROR).for_each(|t| t.to = error);
            let statistics = builder.statistics;
            span.record("states", error);
            let spans = code.spans.clone();
            let passes = builder.passes;
            return Ok(System { states: error + 1, error, transitions, passes, flow, spans, statistics });
        }
        footprint = machine.footprint.renewed();
    }
}

/// Stands for the error until all states are numbered.
const ERROR: u32 = u32::MAX;

struct Builder {
    transitions: Vec<Transition>,
    passes: Vec<Vec<Pass>>,
    known: FxHashMap<Vec<Pass>, u32>,
    statistics: Statistics,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder {
            transitions: Vec::new(),
            passes: vec![Vec::new()],
            known: FxHashMap::from_iter([(Vec::new(), 0)]),
            statistics: Statistics::default(),
        }
    }
}

impl Builder {
    /// Visits all states. False if cells turned out to be shared.
    fn build(&mut self, machine: &mut Machine, progress: &dyn Fn(&Statistics)) -> Result<bool, Reason> {
        let world = machine.start();
        let (start, _) = machine.pools.encode(&world);
        let Some(mut antichain) = machine.pools.rules.map(Antichain::new) else {
            return Err(Reason::Unsupported("to infer fences on sc: there are no store buffers".into()));
        };
        antichain.join(&machine.pools, start);
        // Which state stands for each, and which were visited.
        let mut stands: Vec<Option<u32>> = vec![None];
        let mut visited: Vec<bool> = vec![false];
        // The newest first: stores pile up before they leave, so that large sets come before the small ones
        // that they cover.
        let mut open = vec![start];
        let mut expander = Expander::default();
        while let Some(state) = open.pop() {
            if stands[state as usize].is_some() {
                continue;
            }
            visited[state as usize] = true;
            self.statistics.states += 1;
            if let Err(Failure { stop, .. }) = expander.expand(machine, state) {
                return match stop {
                    Stop::Unsupported(what) => Err(Reason::Unsupported(what)),
                    Stop::Limit(reason) => Err(reason),
                    Stop::Blocked | Stop::Pruned | Stop::Exited | Stop::Again(_) | Stop::Unexplained => {
                        Err(Reason::Internal("a step that waits failed".into()))
                    }
                    // A store reaches memory after its object is gone: constraints between accesses do not say how to
                    // prevent that.
                    Stop::Fault(_) => {
                        Err(Reason::Unsupported("to infer fences for stores to freed memory".into()))
                    }
                };
            }
            self.statistics.transitions += (expander.successors.len() + expander.faults.len()) as u64;
            for passed in std::mem::take(&mut expander.faults) {
                self.step(state, ERROR, passed);
            }
            for successor in expander.successors.drain(..) {
                if successor.new {
                    stands.push(None);
                    visited.push(false);
                    open.push(successor.state);
                    match antichain.join(&machine.pools, successor.state) {
                        Join::Covered(by) => stands[successor.state as usize] = Some(by),
                        Join::Joined(left) => {
                            // Those that were visited already speak for themselves.
                            for left in left.into_iter().filter(|left| !visited[*left as usize]) {
                                stands[left as usize] = Some(successor.state);
                                self.step(left, successor.state, Vec::new());
                            }
                        }
                    }
                }
                // What it led to may be covered by now, and that again.
                let mut to = successor.state;
                while let Some(by) = stands[to as usize] {
                    to = by;
                }
                self.step(state, to, successor.passed);
            }
            if machine.pools.nearly_full() {
                return Err(Reason::Memory);
            }
            if self.statistics.states % 16 == 1 {
                machine.options.budget.spent()?;
            }
            if self.statistics.states % 1024 == 1 {
                self.statistics.bytes = self.bytes(machine, &antichain);
                if machine.options.budget.full(self.statistics.bytes) {
                    return Err(Reason::Memory);
                }
                if machine.footprint.grew {
                    return Ok(false);
                }
                progress(&self.statistics);
            }
        }
        Ok(!machine.footprint.grew)
    }

    fn bytes(&self, machine: &Machine, antichain: &Antichain) -> u64 {
        let steps = self.transitions.capacity() * size_of::<Transition>();
        machine.pools.bytes() + antichain.bytes() + steps as u64
    }

    fn step(&mut self, from: u32, to: u32, passed: Vec<(u32, Vec<u32>)>) {
        let passes: Vec<Pass> = passed.into_iter().map(|(access, stores)| Pass { access, stores }).collect();
        let next = small(self.passes.len());
        let number = *self.known.entry(passes).or_insert_with_key(|passes| {
            self.passes.push(passes.clone());
            next
        });
        self.transitions.push(Transition { from, to, passes: number });
    }
}

/// The code of all threads, with calls inlined.
fn flow(code: &Code) -> Result<Vec<FlowPoint>, Reason> {
    let mut starts = vec![code.first];
    for instr in &code.instrs {
        match instr {
            Instr::Spawn { driver, .. } if !starts.contains(driver) => starts.push(*driver),
            Instr::Launch { drivers } => starts.extend(drivers.iter()),
            _ => {}
        }
    }
    let mut points = Vec::new();
    for start in starts {
        inline(code, &mut vec![start], None, &mut points)?;
    }
    Ok(points)
}

/// Adds the points of the last of some procedures under way; its first point is the first added. `back` is
/// where it returns to.
fn inline(
    code: &Code,
    under_way: &mut Vec<u32>,
    back: Option<u32>,
    points: &mut Vec<FlowPoint>,
) -> Result<(), Reason> {
    let proc = &code.procs[under_way[under_way.len() - 1] as usize];
    let base = small(points.len());
    for pc in proc.entry..proc.end {
        let here = base + (pc - proc.entry);
        let at = |pc: u32| base + (pc - proc.entry);
        let instr = &code.instrs[pc as usize];
        let label = matches!(instr, Instr::Load { .. } | Instr::Store { .. }).then_some(pc);
        let place = if let Instr::Slot(slot) = instr { Some(*slot) } else { None };
        let next = match instr {
            Instr::Jump { to, .. } => vec![at(*to)],
            Instr::JumpIf { to, .. } => vec![here + 1, at(*to)],
            Instr::Exit => Vec::new(),
            Instr::Return => back.into_iter().collect(),
            // Filled in when it is inlined.
            Instr::Call { .. } => Vec::new(),
            _ => vec![here + 1],
        };
        points.push(FlowPoint { label, place, next });
    }
    for pc in proc.entry..proc.end {
        if let Instr::Call { proc: callee, .. } = &code.instrs[pc as usize] {
            let here = base + (pc - proc.entry);
            if under_way.contains(callee) {
                return Err(Reason::Unsupported("to infer fences for recursive functions".into()));
            }
            points[here as usize].next = vec![small(points.len())];
            under_way.push(*callee);
            inline(code, under_way, Some(here + 1), points)?;
            under_way.pop();
        }
    }
    Ok(())
}
