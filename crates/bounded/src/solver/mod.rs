//! What the engine asks of a SAT solver: clauses, graphs that must stay acyclic, and answers.

pub mod acyclic;
mod cadical;
mod eager;

pub use cadical::Cadical;

use crate::circuit::Lit;
use fencepost_harness::verdict::Reason;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A directed graph, some of whose edges exist only where a literal holds.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Nodes are numbers below this.
    pub nodes: u32,
    /// Edges that are always there.
    pub fixed: Vec<(u32, u32)>,
    /// Edges that are there where a literal holds.
    pub edges: Vec<(u32, u32, Lit)>,
}

/// How the solver keeps graphs acyclic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OrderEncoding {
    /// A variable for each pair of nodes and clauses that make them a total order (CheckFence, Section
    /// 3.2.1).
    Eager,
    /// Cycles are found while the solver runs; a cycle becomes a clause.
    #[default]
    Lazy,
    /// As `Lazy`, and edges that would close a cycle are ruled out before they are tried.
    Propagating,
}

/// What a solver says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a solution.
    Sat,
    /// There is none.
    Unsat,
    /// It was told to stop.
    Stopped,
}

/// A SAT solver.
pub trait Solver {
    /// A new variable.
    fn new_var(&mut self) -> Lit;
    /// Requires one of the literals.
    fn add_clause(&mut self, lits: &[Lit]);
    /// Requires the graphs to be acyclic. To be called once, before the first question.
    fn add_graphs(&mut self, graphs: Vec<Graph>);
    /// Looks for a solution in which all assumptions hold. With a limit, gives up after about that many
    /// conflicts.
    fn solve_within(&mut self, assumptions: &[Lit], conflicts: Option<u32>) -> Answer;
    /// Looks for a solution in which all assumptions hold.
    fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solve_within(assumptions, None)
    }
    /// Whether a literal holds in the solution just found.
    fn value(&mut self, lit: Lit) -> bool;
    /// Conflicts so far.
    fn conflicts(&self) -> u64;
}

/// When to stop: asked by everything that may take long.
#[derive(Clone, Default)]
pub struct Budget {
    /// Set from outside, by a signal handler for instance.
    pub cancelled: Arc<AtomicBool>,
    /// The end of the time given.
    pub deadline: Option<Instant>,
    /// Bytes of memory the process may hold.
    pub memory: Option<u64>,
}

/// Why a budget says stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// Cancelled from outside.
    Cancelled,
    /// No time left.
    Time,
    /// No memory left.
    Memory,
}

impl From<Exhausted> for Reason {
    fn from(exhausted: Exhausted) -> Reason {
        match exhausted {
            Exhausted::Cancelled => Reason::Interrupted,
            Exhausted::Time => Reason::Timeout,
            Exhausted::Memory => Reason::Memory,
        }
    }
}

impl Budget {
    /// Whether to stop, and why.
    pub fn exhausted(&self) -> Option<Exhausted> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Exhausted::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Exhausted::Time);
        }
        match self.memory {
            Some(limit) if resident_memory().is_some_and(|used| used > limit) => Some(Exhausted::Memory),
            _ => None,
        }
    }
}

/// Bytes of memory the process holds, where the system tells.
pub fn resident_memory() -> Option<u64> {
    status_kilobytes("VmRSS:")
}

/// The most bytes of memory the process ever held, where the system tells.
pub fn peak_memory() -> Option<u64> {
    status_kilobytes("VmHWM:")
}

fn status_kilobytes(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
